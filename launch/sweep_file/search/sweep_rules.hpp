#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launch/yaml/mistakes.hpp"
#include "launch/yaml/source_map.hpp"
#include "launch/yaml/yaml_section.hpp"
#include "scheduler/space/search_space.hpp"

namespace crescendo::launch {

/// The rule that stands at the entry `name` of a parameter: an expression. Throws InvalidInput if it is no text, or an
/// empty one.
std::string read_expression(const YamlSection& parameter, const std::string& name);

/// The search space of these parameters and of the file's `constraints:`. Throws AlreadyTold if a rule is mistaken.
SearchSpace make_space(const YamlSection& file, std::vector<Parameter> parameters, const SourceMap& source);

/// What is wrong with rules becomes mistakes of the file, each at its character. `names` are those that exist.
void add_mistakes(const std::vector<ExpressionError>& problems, const std::vector<std::string>& names,
                  const SourceMap& source, Mistakes& mistakes);

/// Draws from a search space with rules, as its trials will: a rule without a result, or constraints that allow
/// nothing, become mistakes.
void try_rules(const SearchSpace& space, std::uint64_t seed, const SourceMap& source, Mistakes& mistakes);

/// Parameters that are absent in all draws of a survey, and so perhaps for ever, each as a warning.
std::vector<std::string> warnings_of_rules(const SearchSpace& space, std::uint64_t seed, const SourceMap& source);

}  // namespace crescendo::launch
