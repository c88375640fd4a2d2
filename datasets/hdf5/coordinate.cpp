#include "datasets/hdf5/coordinate.hpp"

#include <cstdint>

#include "core/check.hpp"
#include "datasets/hdf5/attributes.hpp"
#include "datasets/hdf5/hdf5.hpp"
#include "datasets/hdf5/hdf5_packing.hpp"
#include "datasets/hdf5/hdf5_types.hpp"

namespace crescendo::datasets {
namespace {

using hdf5::check;
using hdf5::own;

/// The text of an attribute; empty if there is none, or if it is not text.
std::string text_of(hid_t data_set, const char* attribute) {
    if (!hdf5::has_attribute(data_set, attribute)) {
        return {};
    }
    const auto problem = text("its attribute {} cannot be read", attribute);
    return hdf5::text_of_attribute(data_set, attribute, problem).value_or("");
}

}  // namespace

Coordinate read_coordinate(const std::filesystem::path& file, const std::string& path) {
    constexpr std::int64_t most = std::int64_t{1} << 24;
    Coordinate read{.name = file.string() + ":" + path, .units = {}, .values = {}};
    const hdf5::Session session;
    return hdf5::naming(read.name, [&] {
        const auto opened = hdf5::open_file(file, hdf5::Access::read);
        const auto data_set = hdf5::open_data_set(opened.get(), path, file.string());
        const auto type = own(H5Dget_type(data_set.get()), "it has no type");
        const auto element = hdf5::element_type(type.get());
        const auto extent = hdf5::extent(data_set.get());
        CRESCENDO_VALIDATE(
            element && extent.size() == 1 && extent[0] >= 1 && extent[0] <= most, "",
            "{} is not a grid coordinate, which is one axis of 1 to 2^24 numbers: it has {} axes, of type {}",
            read.name, extent.size(), hdf5::type_name(type.get()));
        read.values.resize(static_cast<std::size_t>(extent[0]));
        check(H5Dread(data_set.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, read.values.data()),
              "it cannot be read");
        if (const auto packing = hdf5::packing_of(data_set.get(), *element, read.name)) {
            packing->decode(read.values);
        }
        read.units = text_of(data_set.get(), "units");
        return read;
    });
}

}  // namespace crescendo::datasets
