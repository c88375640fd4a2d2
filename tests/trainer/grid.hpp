#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace crescendo::trainer::test {

/// Writes FILE:/ as NetCDF-4 has weather: `t`, (count, 2 levels, rows, 8 columns) of int16 that attributes pack, and
/// `latitude`, (rows) of float32 with its `units`; none if that is empty. The rows of a level differ from each other.
/// Returns the location.
std::string write_grid(const std::filesystem::path& file, std::int64_t count, const std::vector<float>& latitudes,
                       const std::string& units = "degrees_north");

}  // namespace crescendo::trainer::test
