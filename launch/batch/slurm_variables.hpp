#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace crescendo::launch {

/// The variables (SBATCH_TIMELIMIT) that sbatch would prefer to what the #SBATCH lines of a script say.
std::set<std::string, std::less<>> overriding_variables(const std::filesystem::path& script);

}  // namespace crescendo::launch
