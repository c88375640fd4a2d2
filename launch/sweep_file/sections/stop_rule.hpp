#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "launch/json/json.hpp"
#include "launch/yaml/yaml_section.hpp"

namespace crescendo::launch {

/// A class of a plug-in that ends trials: `stop_rule: plateau`, or `stop_rule: {type: plateau, options: {patience: 5}}`.
struct StopRuleSpec {
    std::string type;
    OrderedJson options = OrderedJson::object();
    std::chrono::seconds deadline{60};  ///< time for an answer, and for the plug-in to start
};

/// Reads `plugins:`, the paths of shared libraries.
std::vector<std::string> read_plugins(const YamlSection& file);

/// Reads `stop_rule:`.
std::optional<StopRuleSpec> read_stop_rule(const YamlSection& file);

/// Reads the entry `options` of a section: a map that is passed on unchanged.
OrderedJson read_options(const YamlSection& section);

/// Reads the entry `deadline` of a section.
std::optional<std::chrono::seconds> read_deadline(const YamlSection& section);

}  // namespace crescendo::launch
