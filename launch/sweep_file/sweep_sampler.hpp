#pragma once

#include <string>
#include <vector>

#include "launch/sweep_file/sweep_file.hpp"
#include "launch/yaml/yaml_section.hpp"

namespace crescendo::launch {

/// Reads `method:` and `sampler:`, which choose what proposes configurations. `result` must have its plug-ins already.
void read_sampler(const YamlSection& file, SweepFile& result);

/// Chooses the sampler if the file leaves it open, and adds a remark with the choice. `result` must have its space and
/// its run_cap.
void settle_sampler(const YamlSection& file, SweepFile& result);

/// Reads `warm_start:`, one source of earlier results or a list of them. Throws InvalidInput if `sampler` does not
/// learn.
std::vector<std::string> read_warm_start(const YamlSection& file, const std::string& sampler);

}  // namespace crescendo::launch
