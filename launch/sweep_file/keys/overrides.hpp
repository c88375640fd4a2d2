#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/json/json.hpp"

namespace crescendo::launch {

/// A value that replaces the one in a sweep file, such as `scheduler.grow=wait`.
struct Override {
    enum class Applies {
        always,
        if_missing,  ///< a key that the file has keeps its value
        in_section,  ///< as if_missing; also, a file without the key's section stays without it
    };

    std::string key;                   ///< dotted key
    std::optional<std::string> value;  ///< value as YAML; none: the key is removed, and with if_missing gets its
                                       ///< default
    Applies applies = Applies::always;
};

/// Overrides that remove the keys about what trains, and about what is kept of it. They are for commands that train
/// nothing, for which problems with a trainer do not matter.
std::vector<Override> without_training();

/// Reads "key=value". Throws InvalidInput, with the example, if `text` is something else.
Override parse_override(const std::string& text, const char* example);

/// Puts the value into the document, and creates missing maps on the way. Without a value, removes the key, and the map
/// that held nothing else. Throws InvalidInput if the value is not YAML, or if the key leads through something that is
/// not a map.
void apply_override(const Override& change, OrderedJson& document);

}  // namespace crescendo::launch
