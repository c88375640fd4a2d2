#pragma once

#include <string>

#include "launch/messages/json.hpp"
#include "launch/sweep_file/mistakes.hpp"
#include "launch/sweep_file/source_map.hpp"

namespace crescendo::launch {

/// A YAML file: its values, and where each key stands.
struct YamlDocument {
    OrderedJson root;  ///< an object; values that cannot be read are discarded
    SourceMap source;
};

/// Keys that are given twice and values that cannot be read are `mistakes`. Throws InvalidInput where `text` is not
/// YAML, or is not one map. `file` as messages shall name it. The items of the list `verbatim`, a key of the file, are
/// text as they are written, whatever they look like.
YamlDocument parse_yaml(const std::string& text, const std::string& file, Mistakes& mistakes,
                        const std::string& verbatim = {});

/// Throws InvalidInput with all mistakes where there are any.
YamlDocument parse_yaml(const std::string& text, const std::string& file);

}  // namespace crescendo::launch
