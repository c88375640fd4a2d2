#include "datasets/hdf5/coordinate.hpp"

#include <cstdint>

#include "core/check.hpp"
#include "datasets/hdf5/hdf5.hpp"
#include "datasets/hdf5/hdf5_packing.hpp"
#include "datasets/hdf5/hdf5_types.hpp"

namespace crescendo::datasets {
namespace {

using hdf5::check;
using hdf5::own;

/// The text of an attribute; empty if there is none, or if it is no text.
std::string text_of(hid_t data_set, const char* attribute) {
    if (H5Aexists(data_set, attribute) <= 0) {
        return {};
    }
    const auto problem = text("an attribute {} that cannot be read", attribute);
    const auto opened = own(H5Aopen(data_set, attribute, H5P_DEFAULT), problem);
    const auto type = own(H5Aget_type(opened.get()), problem);
    const auto space = own(H5Aget_space(opened.get()), problem);
    if (H5Tget_class(type.get()) != H5T_STRING || H5Sget_simple_extent_npoints(space.get()) != 1) {
        return {};
    }
    if (H5Tis_variable_str(type.get()) > 0) {
        char* read = nullptr;
        check(H5Aread(opened.get(), type.get(), &read), problem);
        const std::string words = read == nullptr ? "" : read;
        H5free_memory(read);
        return words;
    }
    std::string words(H5Tget_size(type.get()), '\0');
    check(H5Aread(opened.get(), type.get(), words.data()), problem);
    return words.substr(0, words.find('\0'));
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
        CRESCENDO_VALIDATE(element && extent.size() == 1 && extent[0] >= 1 && extent[0] <= most, "",
                           "{} is no coordinate of a grid, which is one axis of numbers: it has {} axes, of type {}",
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
