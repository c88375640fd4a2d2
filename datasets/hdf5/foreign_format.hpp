#pragma once

#include <filesystem>
#include <string>

namespace crescendo::datasets {

/// Says what a file, or Zarr folder, in another format is, and how to convert it to HDF5: "it is NetCDF's classic
/// format; …". Knows formats that users mistake for HDF5. Empty for everything else, and for what cannot be read.
std::string foreign_format(const std::filesystem::path& file);

}  // namespace crescendo::datasets
