#pragma once

#include <string>
#include <utility>
#include <vector>

#include "datasets/hdf5/hdf5.hpp"

namespace crescendo::datasets::hdf5 {

/// The members of a group: their names, and how they are linked.
using Links = std::vector<std::pair<std::string, H5L_info_t>>;

/// The links of a group in alphabetical order (H5_INDEX_NAME), or in the order in which they were made
/// (H5_INDEX_CRT_ORDER) if the group keeps that.
Links links_of(hid_t group, H5_index_t order);

/// The kind of a link for users: "soft link", "external link".
const char* kind_of_link(const H5L_info_t& link);

/// The target of the link `name`, which is not a hard link: "/x", "other.h5:/x".
std::string target_of_link(hid_t group, const std::string& name, const H5L_info_t& link);

/// Copies the soft or external link `name` to the group `to`, with the same text.
void copy_link(hid_t from, hid_t to, const std::string& name, const H5L_info_t& link);

}  // namespace crescendo::datasets::hdf5
