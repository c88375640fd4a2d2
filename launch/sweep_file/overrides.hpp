#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/messages/json.hpp"

namespace crescendo::launch {

/// A value in place of the one that a sweep file has: `scheduler.grow=wait`.
struct Override {
    std::string key;                   ///< dotted
    std::optional<std::string> value;  ///< as YAML; none: the key is left out
};

/// Leave out what would train: for commands that train nothing, so that they do not mind what a trainer could not do.
std::vector<Override> without_training();

/// "key=value". Throws InvalidInput where `text` is not.
Override parse_override(const std::string& text);

/// Puts the value into the document, with the maps on the way to it where there are none; or takes the key out, and the
/// map that held nothing else.
/// Throws InvalidInput where the value is not YAML, or the key leads through something that is no map.
void apply_override(const Override& change, OrderedJson& document);

}  // namespace crescendo::launch
