#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace crescendo::trainer::test {

/// Writes weather data as in NetCDF-4 to FILE:/. `t` has the axes (count, 2 levels, rows, 8 columns) and holds int16,
/// packed according to attributes; `latitude` has one float32 per row, and the attribute `units` unless that is empty.
/// The rows of a level differ from each other. Returns the location.
std::string write_grid(const std::filesystem::path& file, std::int64_t count, const std::vector<float>& latitudes,
                       const std::string& units = "degrees_north");

}  // namespace crescendo::trainer::test
