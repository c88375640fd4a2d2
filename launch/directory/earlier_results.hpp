#pragma once

#include <filesystem>
#include <vector>

#include "launch/json/json.hpp"
#include "scheduler/earlier_result.hpp"

namespace crescendo::launch {

/// Writes the results that a sweep begins with, one JSON object per line. They no longer depend on the sweeps that they
/// come from. Returns the value that the journal's header keeps. Throws WriteError.
Json write_earlier_results(const std::filesystem::path& path, const std::vector<EarlierResult>& results);

/// Reads what write_earlier_results() wrote. `kept` is the value that it returned. Throws InvalidInput if the file has
/// changed.
std::vector<EarlierResult> read_earlier_results(const std::filesystem::path& path, const Json& kept);

}  // namespace crescendo::launch
