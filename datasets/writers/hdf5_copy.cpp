#include "datasets/writers/hdf5_copy.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "datasets/hdf5/hdf5_types.hpp"

namespace crescendo::datasets::hdf5 {
namespace {

void copy_attribute(hid_t from, hid_t to, const char* name) {
    const auto attribute = own(H5Aopen(from, name, H5P_DEFAULT), text("no attribute {}", name));
    const auto stored = own(H5Aget_type(attribute.get()), text("the attribute {} has no type", name));
    if (H5Tdetect_class(stored.get(), H5T_REFERENCE) > 0) {
        return;
    }
    const auto type = own(H5Tcopy(stored.get()), "no copy of a type");  // a named one belongs to its file
    const auto space = own(H5Aget_space(attribute.get()), text("the attribute {} has no shape", name));
    const auto copy = own(H5Acreate2(to, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
                          text("the attribute {} cannot be made", name));
    const auto count = static_cast<std::size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space.get()), 0));
    if (count == 0) {
        return;
    }
    std::vector<std::byte> values(count * H5Tget_size(type.get()));
    check(H5Aread(attribute.get(), type.get(), values.data()), text("the attribute {} cannot be read", name));
    const auto written = H5Awrite(copy.get(), type.get(), values.data());
    H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, values.data());  // strings, which the library allocated
    check(written, text("the attribute {} cannot be written", name));
}

}  // namespace

Handle type_of_copy(hid_t data_set, ElementType element) {
    const auto stored = own(H5Dget_type(data_set), "no type");
    const auto number = number_type(stored.get());
    auto memory = hdf5::memory_type(element);
    const bool same = H5Tequal(number.get(), memory.get()) > 0;
    return same ? own(H5Tcopy(stored.get()), "no copy of a type") : std::move(memory);
}

void copy_attributes(hid_t from, hid_t to) {
    std::vector<std::string> names;
    const auto add = [](hid_t, const char* name, const H5A_info_t*, void* out) -> herr_t {
        static_cast<std::vector<std::string>*>(out)->push_back(name);
        return 0;
    };
    check(H5Aiterate2(from, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names), "its attributes cannot be listed");
    for (const auto& name : names) {
        copy_attribute(from, to, name.c_str());
    }
}

}  // namespace crescendo::datasets::hdf5
