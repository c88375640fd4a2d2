#include "tests/trainer/grid.hpp"

#include <cmath>

#include "tests/datasets/files.hpp"

namespace crescendo::trainer::test {

std::string write_grid(const std::filesystem::path& file, std::int64_t count, const std::vector<float>& latitudes,
                       const std::string& units) {
    constexpr hsize_t columns = 8;
    const hsize_t rows = latitudes.size();
    std::vector<std::int16_t> stored;
    for (std::int64_t i = 0; i < count; ++i) {
        for (hsize_t at = 0; at < 2 * rows * columns; ++at) {
            const auto place = static_cast<double>(at);
            stored.push_back(static_cast<std::int16_t>(1000 * std::sin(0.7 * place + static_cast<double>(i * i)) *
                                                       (1 + static_cast<double>(at / columns % rows))));
        }
    }
    tests::Hdf5Writer writer(file, /*latest=*/true);
    writer.add("/t", {static_cast<hsize_t>(count), 2, rows, columns}, H5T_NATIVE_INT16, stored,
               {.chunk = {4, 2, rows, columns}, .deflate = true});
    writer.attribute("/t", "scale_factor", H5T_NATIVE_DOUBLE, std::vector{1e-3});
    writer.add("/latitude", {rows}, H5T_NATIVE_FLOAT, latitudes);
    if (!units.empty()) {
        const hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, units.size());
        writer.attribute("/latitude", "units", type, std::vector(units.begin(), units.end()));
        H5Tclose(type);
    }
    return file.string() + ":/";
}

}  // namespace crescendo::trainer::test
