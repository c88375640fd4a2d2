#pragma once

#include <optional>
#include <string>

#include "launch/yaml/yaml_section.hpp"
#include "scheduler/space/distribution.hpp"

namespace crescendo::launch {

/// Reads the distribution of one entry of `parameters`, given by W&B's name or implied by its keys. Throws InvalidInput
/// on the first mistake, or AlreadyTold if it is already among the file's mistakes.
Distribution read_distribution(const YamlSection& parameter);

/// A doubt about a valid entry whose values are often not what its author meant, such as exponents of e that look like
/// values, or the whole numbers from 0 to 1. Nothing if there is no doubt.
std::optional<std::string> doubt_about_distribution(const YamlSection& parameter);

}  // namespace crescendo::launch
