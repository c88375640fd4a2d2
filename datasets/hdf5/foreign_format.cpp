#include "datasets/hdf5/foreign_format.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <system_error>

namespace crescendo::datasets {
namespace {

struct Format {
    std::string_view begin;  ///< first bytes of its files
    const char* words;
};

constexpr std::array formats{
    Format{"CDF", "it is NetCDF's classic format; `nccopy -k nc4 OLD NEW` writes NetCDF-4, which is HDF5"},
    Format{"MATLAB 5.0", "it is MATLAB's older format; save it with '-v7.3', which is HDF5"},
    Format{"GRIB", "it is GRIB; `cdo -f nc4 copy OLD NEW` writes NetCDF-4, which is HDF5"},
    Format{"\x0e\x03\x13\x01", "it is HDF4, another format; h4toh5convert writes HDF5"}};

}  // namespace

std::string foreign_format(const std::filesystem::path& file) {
    std::error_code none;
    if (std::filesystem::is_directory(file, none)) {
        const bool is_zarr =
            std::filesystem::exists(file / ".zgroup", none) || std::filesystem::exists(file / "zarr.json", none);
        return is_zarr ? "it is Zarr; write it as NetCDF-4, for example with xarray's to_netcdf" : "";
    }
    std::array<char, 16> bytes{};
    if (std::filesystem::is_regular_file(file, none)) {  // reading a pipe would consume its data
        std::ifstream(file, std::ios::binary).read(bytes.data(), bytes.size());
    }
    const std::string_view begin(bytes.data(), bytes.size());
    const auto found = std::find_if(formats.begin(), formats.end(),
                                    [&](const Format& format) { return begin.starts_with(format.begin); });
    return found == formats.end() ? "" : found->words;
}

}  // namespace crescendo::datasets
