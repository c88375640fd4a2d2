#pragma once

#include <string>

#include "launch/messages/json.hpp"
#include "launch/sweep_file/source_map.hpp"

namespace crescendo::launch {

/// A YAML file: its values, and where each key stands.
struct YamlDocument {
    OrderedJson root;  ///< an object
    SourceMap source;
};

/// Throws InvalidInput where `text` is not YAML, is not one map, or has a key twice; `file` as messages shall name it.
YamlDocument parse_yaml(const std::string& text, const std::string& file);

}  // namespace crescendo::launch
