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
                          text("the attribute {} cannot be created", name));
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

/// Whether H5Ocopy would leave the fill value in the old file, because it has variable length, as in NetCDF's texts.
/// Then the copy could not be opened.
bool loses_fill(hid_t object) {
    if (H5Iget_type(object) != H5I_DATASET) {
        return false;
    }
    const auto type = own(H5Dget_type(object), "no type");
    const auto settings = own(H5Dget_create_plist(object), "no properties");
    H5D_fill_value_t defined{};
    check(H5Pfill_value_defined(settings.get(), &defined), "its fill value cannot be read");
    const bool varies = H5Tdetect_class(type.get(), H5T_VLEN) > 0 || H5Tis_variable_str(type.get()) > 0;
    const bool is_elsewhere = H5Pget_layout(settings.get()) == H5D_VIRTUAL || H5Pget_external_count(settings.get()) > 0;
    return varies && defined == H5D_FILL_VALUE_USER_DEFINED && !is_elsewhere &&
           H5Tdetect_class(type.get(), H5T_REFERENCE) <= 0;
}

/// Copies the elements of `rows` rows, starting at row `begin`, of a data set with axes `lengths`.
void copy_rows(hid_t from, hid_t to, hid_t type, std::vector<hsize_t> lengths, hsize_t begin, hsize_t rows) {
    std::vector<hsize_t> start(lengths.size());
    if (!lengths.empty()) {
        start[0] = begin;
        lengths[0] = rows;
    }
    const auto rank = static_cast<int>(lengths.size());
    const auto space = own(H5Dget_space(from), "no shape");
    const auto memory =
        own(rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, lengths.data(), nullptr), "no shape");
    if (rank > 0) {
        check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, lengths.data(), nullptr),
              "no selection");
    }
    const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(memory.get()));
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, H5Tget_size(type), &bytes)) {
        throw DamagedFile("it claims to have more elements than any memory can hold: it is damaged");
    }
    std::vector<std::byte> values(bytes);
    check(H5Dread(from, type, memory.get(), space.get(), H5P_DEFAULT, values.data()), "it cannot be read");
    const auto written = H5Dwrite(to, type, memory.get(), space.get(), H5P_DEFAULT, values.data());
    H5Dvlen_reclaim(type, memory.get(), H5P_DEFAULT, values.data());
    check(written, "it cannot be written");
}

/// Copies a data set without its attributes, element by element.
void copy_elements(hid_t from, hid_t to, const std::string& name) {
    const auto stored = own(H5Dget_type(from), "no type");
    const auto type = own(H5Tcopy(stored.get()), "no copy of a type");  // a named one belongs to its file
    const auto space = own(H5Dget_space(from), "no shape");
    const auto settings = own(H5Dget_create_plist(from), "no properties");
    const auto copy =
        own(H5Dcreate2(to, name.c_str(), type.get(), space.get(), H5P_DEFAULT, settings.get(), H5P_DEFAULT), "no copy");
    const auto lengths = extent(from);
    const auto num_elements = num_bytes(lengths, ElementType::u8, name);
    if (H5Sget_simple_extent_npoints(space.get()) == 0) {
        return;
    }
    constexpr std::int64_t most = 1 << 16;  // most elements in memory at a time, or one row
    const auto num_rows = lengths.empty() ? 1 : lengths[0];
    const auto rows = std::max<std::int64_t>(1, most / (num_elements / num_rows));
    for (std::int64_t begin = 0; begin < num_rows; begin += rows) {
        copy_rows(from, copy.get(), type.get(), {lengths.begin(), lengths.end()}, static_cast<hsize_t>(begin),
                  static_cast<hsize_t>(std::min(rows, num_rows - begin)));
    }
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

void copy_object(hid_t from, hid_t to, const std::string& name) {
    const auto problem = text("{} cannot be copied", name);
    if (loses_fill(from)) {
        copy_elements(from, to, name);
    } else {
        // HDF5 1.10's H5Ocopy crashes on variable-length attributes if there are eight or more attributes.
        const auto without_attributes = own(H5Pcreate(H5P_OBJECT_COPY), "no properties of copies");
        check(H5Pset_copy_object(without_attributes.get(), H5O_COPY_WITHOUT_ATTR_FLAG), "no copy flags");
        check(H5Ocopy(from, ".", to, name.c_str(), without_attributes.get(), H5P_DEFAULT), problem);
    }
    const auto made = own(H5Oopen(to, name.c_str(), H5P_DEFAULT), problem);
    copy_attributes(from, made.get());
}

}  // namespace crescendo::datasets::hdf5
