#pragma once

#include <string>

#include "launch/json/json.hpp"
#include "launch/yaml/mistakes.hpp"
#include "launch/yaml/source_map.hpp"

namespace crescendo::launch {

/// A YAML file: its values, and the position of each key.
struct YamlDocument {
    OrderedJson root;  ///< an object; unreadable values are discarded values
    SourceMap source;
};

/// Parses a YAML file. Duplicate keys and unreadable values become `mistakes`. Throws InvalidInput if `text` is not
/// YAML, or is not one map. `file` is the file's name in messages. `verbatim` is a key of the file whose value is a
/// list: its unquoted items are kept as text, even if they look like numbers. Numbers beyond 64 bits
/// are mistakes there too, because the journal keeps values.
YamlDocument parse_yaml(const std::string& text, const std::string& file, Mistakes& mistakes,
                        const std::string& verbatim = {});

/// Parses a YAML file. Throws InvalidInput with all mistakes if there are any.
YamlDocument parse_yaml(const std::string& text, const std::string& file);

/// Parses one value, such as "[16, 32]", of the key `key`. Throws InvalidInput if `text` is not YAML, or has another
/// key after a line feed.
OrderedJson parse_yaml_value(const std::string& text, const std::string& key);

}  // namespace crescendo::launch
