#pragma once

#include <optional>
#include <string>

#include "launch/yaml/yaml_section.hpp"
#include "scheduler/space/distribution.hpp"

namespace crescendo::launch {

/// Reads one entry of the section `parameters`: its distribution, by W&B's words or by the keys that it has. Throws
/// InvalidInput on the first mistake, or AlreadyTold where it is among the mistakes of the file.
Distribution read_distribution(const YamlSection& parameter);

/// What the values of a sound entry are, where many a writer means others: exponents of e that look like values, and
/// the whole numbers from 0 to 1. Nothing if there is no doubt.
std::optional<std::string> doubt_about_distribution(const YamlSection& parameter);

}  // namespace crescendo::launch
