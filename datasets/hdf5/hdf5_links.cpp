#include "datasets/hdf5/hdf5_links.hpp"

#include "core/check.hpp"

namespace crescendo::datasets::hdf5 {
namespace {

/// The text of a soft or external link.
struct Text {
    std::string file;  ///< of an external link; else empty
    std::string path;
};

Text text_of_link(hid_t group, const std::string& name, const H5L_info_t& link) {
    const auto problem = text("the link {} cannot be read", name);
    std::vector<char> value(link.u.val_size + 1);  // the text may lack its terminator
    check(H5Lget_val(group, name.c_str(), value.data(), link.u.val_size, H5P_DEFAULT), problem);
    if (link.type == H5L_TYPE_SOFT) {
        return {"", value.data()};
    }
    const char* file = nullptr;
    const char* path = nullptr;
    check(H5Lunpack_elink_val(value.data(), link.u.val_size, nullptr, &file, &path),
          text("the link {} is of an unknown kind", name));
    return {file, path};
}

}  // namespace

Links links_of(hid_t group, H5_index_t order) {
    Links links;
    const auto add = [](hid_t, const char* name, const H5L_info_t* info, void* out) -> herr_t {
        static_cast<Links*>(out)->emplace_back(name, *info);
        return 0;
    };
    if (order == H5_INDEX_NAME || H5Literate(group, order, H5_ITER_INC, nullptr, add, &links) < 0) {
        links.clear();
        check(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &links), "its members cannot be listed");
    }
    return links;
}

const char* kind_of_link(const H5L_info_t& link) {
    return link.type == H5L_TYPE_SOFT       ? "soft link"
           : link.type == H5L_TYPE_EXTERNAL ? "external link"
                                            : "user-defined link";
}

std::string target_of_link(hid_t group, const std::string& name, const H5L_info_t& link) {
    if (link.type != H5L_TYPE_SOFT && link.type != H5L_TYPE_EXTERNAL) {
        return "?";
    }
    const auto [file, path] = text_of_link(group, name, link);
    return file.empty() ? path : file + ":" + path;
}

void copy_link(hid_t from, hid_t to, const std::string& name, const H5L_info_t& link) {
    const auto [file, path] = text_of_link(from, name, link);
    const auto made = link.type == H5L_TYPE_SOFT
                          ? H5Lcreate_soft(path.c_str(), to, name.c_str(), H5P_DEFAULT, H5P_DEFAULT)
                          : H5Lcreate_external(file.c_str(), path.c_str(), to, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    check(made, text("the link {} cannot be created", name));
}

}  // namespace crescendo::datasets::hdf5
