#pragma once

#include <filesystem>
#include <string>

namespace crescendo::datasets {

/// Of a file, or a Zarr folder, in another format that users take for HDF5, what it is and how to bring it into HDF5:
/// "it is NetCDF's classic format; …". Empty for everything else, and for what cannot be read.
std::string foreign_format(const std::filesystem::path& file);

}  // namespace crescendo::datasets
