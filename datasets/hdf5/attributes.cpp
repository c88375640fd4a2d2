#include "datasets/hdf5/attributes.hpp"

#include "datasets/hdf5/hdf5.hpp"

namespace crescendo::datasets::hdf5 {

std::optional<std::string> text_of_attribute(hid_t object, const char* attribute, const std::string& problem) {
    const auto opened = own(H5Aopen(object, attribute, H5P_DEFAULT), problem);
    const auto type = own(H5Aget_type(opened.get()), problem);
    const auto space = own(H5Aget_space(opened.get()), problem);
    if (H5Tget_class(type.get()) != H5T_STRING || H5Sget_simple_extent_npoints(space.get()) != 1) {
        return {};
    }
    if (H5Tis_variable_str(type.get()) > 0) {
        char* read = nullptr;
        check(H5Aread(opened.get(), type.get(), &read), problem);
        std::string words = read == nullptr ? "" : read;
        H5free_memory(read);
        return words;
    }
    std::string words(H5Tget_size(type.get()), '\0');
    check(H5Aread(opened.get(), type.get(), words.data()), problem);
    return words.substr(0, words.find('\0'));
}

}  // namespace crescendo::datasets::hdf5
