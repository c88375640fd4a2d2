#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launch/yaml/mistakes.hpp"
#include "launch/yaml/source_map.hpp"
#include "launch/yaml/yaml_section.hpp"
#include "scheduler/space/search_space.hpp"

namespace crescendo::launch {

/// The rule in the entry `name` of a parameter: an expression. Throws InvalidInput if it is not text, or is empty.
std::string read_expression(const YamlSection& parameter, const std::string& name);

/// Makes the search space from these parameters and the file's `constraints:`. Throws AlreadyTold if a rule is
/// mistaken.
SearchSpace make_space(const YamlSection& file, std::vector<Parameter> parameters, const SourceMap& source);

/// Adds problems of rules to the file's mistakes, each with the position of its character. `names` are the names that
/// exist.
void add_mistakes(const std::vector<ExpressionError>& problems, const std::vector<std::string>& names,
                  const SourceMap& source, Mistakes& mistakes);

/// Draws configurations from a search space with rules, as its trials will. A rule without a result, and constraints
/// that allow nothing, become mistakes.
void try_rules(const SearchSpace& space, std::uint64_t seed, const SourceMap& source, Mistakes& mistakes);

/// A warning for each parameter that is absent in all draws of a survey, and so perhaps in all trials.
std::vector<std::string> warnings_of_rules(const SearchSpace& space, std::uint64_t seed, const SourceMap& source);

}  // namespace crescendo::launch
