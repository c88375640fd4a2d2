#pragma once

#include <optional>
#include <string>

#include "launch/yaml/yaml_section.hpp"

namespace crescendo::launch {

/// The price of an hour of computing, in the user's currency: `price:` of the sweep file. It affects no decision, so it
/// may change at any time.
struct Price {
    enum class Unit { slot, node };

    double per_hour = 0;
    Unit unit = Unit::slot;
};

/// Reads the section `price`: `{slot_hour: 0.90}` or `{node_hour: 24.48}`. Returns nothing if there is none.
std::optional<Price> read_price(const YamlSection& file);

/// Reads "slot_hour=0.90" or "node_hour=24.48". Throws InvalidInput if `text` is something else.
Price parse_price(const std::string& text);

}  // namespace crescendo::launch
