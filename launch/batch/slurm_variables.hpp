#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace crescendo::launch {

/// The variables, such as SBATCH_TIMELIMIT, that would make sbatch override #SBATCH lines of the script.
std::set<std::string, std::less<>> overriding_variables(const std::filesystem::path& script);

/// Whether Slurm uses this variable to describe a process's step and task, rather than its job.
bool is_of_step(std::string_view variable);

}  // namespace crescendo::launch
