#pragma once

#include <string>
#include <utility>
#include <vector>

#include "datasets/hdf5/hdf5.hpp"

/// Copies parts of objects that H5Ocopy copies only together with everything below them.
namespace crescendo::datasets::hdf5 {

/// Copies all attributes, except those made of references to objects, which would be invalid in another file.
void copy_attributes(hid_t from, hid_t to);

/// The members of a group with their names and links. They are in the order of their creation if the group tracks it,
/// else in alphabetical order.
using Links = std::vector<std::pair<std::string, H5L_info_t>>;
Links links_of(hid_t group);

/// Copies the soft or external link `name` to the group `to`, with the same text.
void copy_link(hid_t from, hid_t to, const std::string& name, const H5L_info_t& info);

}  // namespace crescendo::datasets::hdf5
