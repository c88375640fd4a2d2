#pragma once

#include <filesystem>
#include <vector>

#include "launch/json/json.hpp"
#include "scheduler/earlier_result.hpp"

namespace crescendo::launch {

/// Writes the results that a sweep begins with, one JSON object a line. They stay as they are, whatever becomes of the
/// sweeps that they come from. Returns what the journal's header keeps of them. Throws WriteError.
Json write_earlier_results(const std::filesystem::path& path, const std::vector<EarlierResult>& results);

/// Reads what write_earlier_results() wrote. `kept` is what it returned. Throws InvalidInput if the file is not what it
/// was.
std::vector<EarlierResult> read_earlier_results(const std::filesystem::path& path, const Json& kept);

}  // namespace crescendo::launch
