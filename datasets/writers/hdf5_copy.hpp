#pragma once

#include <string>
#include <utility>
#include <vector>

#include "datasets/hdf5/hdf5.hpp"

/// Parts of objects that H5Ocopy only copies together with everything below.
namespace crescendo::datasets::hdf5 {

/// All attributes, but for those made of references to objects: these would lead nowhere in another file.
void copy_attributes(hid_t from, hid_t to);

/// The members of a group by name, and how they are linked; in the order they were made where the group tracks that,
/// else in alphabetical order.
using Links = std::vector<std::pair<std::string, H5L_info_t>>;
Links links_of(hid_t group);

/// Makes the soft link `name`, or the one to another file, once more in the group `to`, with the same text.
void copy_link(hid_t from, hid_t to, const std::string& name, const H5L_info_t& info);

}  // namespace crescendo::datasets::hdf5
