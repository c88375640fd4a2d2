#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace crescendo::launch {

/// The variables (SBATCH_TIMELIMIT) that sbatch would prefer to what the #SBATCH lines of a script say.
std::set<std::string, std::less<>> overriding_variables(const std::filesystem::path& script);

/// Whether Slurm tells a process by this variable which step and task it is, rather than which job it is in.
bool is_of_step(std::string_view variable);

}  // namespace crescendo::launch
