#pragma once

#include <string>
#include <utility>
#include <vector>

#include "datasets/hdf5/hdf5.hpp"

namespace crescendo::datasets::hdf5 {

/// The members of a group by name, and how they are linked.
using Links = std::vector<std::pair<std::string, H5L_info_t>>;

/// In alphabetical order (H5_INDEX_NAME), or in the order they were made (H5_INDEX_CRT_ORDER) where the group tracks
/// that.
Links links_of(hid_t group, H5_index_t order);

/// "soft link", "external link"
const char* kind_of_link(const H5L_info_t& link);

/// Where the link `name`, which is no hard one, leads: "/x", "other.h5:/x".
std::string target_of_link(hid_t group, const std::string& name, const H5L_info_t& link);

/// Makes the soft link `name`, or the one to another file, once more in the group `to`, with the same text.
void copy_link(hid_t from, hid_t to, const std::string& name, const H5L_info_t& link);

}  // namespace crescendo::datasets::hdf5
