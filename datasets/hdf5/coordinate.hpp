#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace crescendo::datasets {

/// Positions of a grid's points along one axis: a NetCDF coordinate variable.
struct Coordinate {
    std::string name;            ///< FILE:/PATH
    std::string units;           ///< the attribute `units`, such as "degrees_north"; empty if there is none
    std::vector<double> values;  ///< unpacked; NaN for missing values
};

/// Reads the data set at the absolute `path` of a file. Throws InvalidInput unless it is a one-dimensional array of
/// numbers. Also throws as SampleSet::open does.
Coordinate read_coordinate(const std::filesystem::path& file, const std::string& path);

}  // namespace crescendo::datasets
