#include "datasets/hdf5/attributes.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "core/check.hpp"
#include "datasets/hdf5/hdf5.hpp"

namespace crescendo::datasets::hdf5 {

bool has_attribute(hid_t object, const char* attribute) {
    const auto answer = H5Aexists(object, attribute);
    check(answer, text("its attribute {} cannot be looked up", attribute));
    return answer > 0;
}

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

std::vector<std::string> texts_of_attribute(hid_t object, const char* attribute, const std::string& problem) {
    if (!has_attribute(object, attribute)) {
        return {};
    }
    const auto opened = own(H5Aopen(object, attribute, H5P_DEFAULT), problem);
    const auto type = own(H5Aget_type(opened.get()), problem);
    const auto space = own(H5Aget_space(opened.get()), problem);
    // A damaged file may claim any number of texts, of any length.
    constexpr hssize_t most = 1 << 16;
    constexpr std::size_t most_bytes = 16 << 20;
    const auto count = H5Sget_simple_extent_npoints(space.get());
    const auto length = H5Tget_size(type.get());
    if (H5Tget_class(type.get()) != H5T_STRING || H5Sget_simple_extent_ndims(space.get()) != 1 || count < 1 ||
        count > most || static_cast<std::size_t>(count) * length > most_bytes) {
        return {};
    }
    std::vector<std::string> texts;
    if (H5Tis_variable_str(type.get()) > 0) {
        std::vector<char*> read(static_cast<std::size_t>(count), nullptr);
        check(H5Aread(opened.get(), type.get(), read.data()), problem);
        for (char* words : read) {
            texts.emplace_back(words == nullptr ? "" : words);
        }
        H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, read.data());
        return texts;
    }
    std::string all(static_cast<std::size_t>(count) * length, '\0');
    check(H5Aread(opened.get(), type.get(), all.data()), problem);
    for (std::size_t begin = 0; begin < all.size(); begin += length) {
        const auto words = all.substr(begin, length);
        texts.push_back(words.substr(0, words.find('\0')));
    }
    return texts;
}

void write_texts(hid_t object, const char* attribute, const std::vector<std::string>& texts,
                 const std::string& problem) {
    if (has_attribute(object, attribute)) {
        check(H5Adelete(object, attribute), problem);
    }
    std::vector<const char*> values;
    std::transform(texts.begin(), texts.end(), std::back_inserter(values), [](const auto& t) { return t.c_str(); });
    const auto type = own(H5Tcopy(H5T_C_S1), problem);
    check(H5Tset_size(type.get(), H5T_VARIABLE), problem);
    check(H5Tset_cset(type.get(), H5T_CSET_UTF8), problem);
    const hsize_t length = texts.size();
    const auto space = own(H5Screate_simple(1, &length, nullptr), problem);
    const auto made = own(H5Acreate2(object, attribute, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), problem);
    check(H5Awrite(made.get(), type.get(), values.data()), problem);
}

}  // namespace crescendo::datasets::hdf5
