#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace crescendo::datasets {

/// Where the points of a grid lie along one of its axes, as NetCDF's coordinate variables say.
struct Coordinate {
    std::string name;            ///< FILE:/PATH
    std::string units;           ///< the attribute `units`, such as "degrees_north"; empty if there is none
    std::vector<double> values;  ///< unpacked; NaN where there is none
};

/// Reads the data set at the absolute `path` of a file. Throws InvalidInput unless it is one axis of numbers, and what
/// SampleSet::open throws.
Coordinate read_coordinate(const std::filesystem::path& file, const std::string& path);

}  // namespace crescendo::datasets
