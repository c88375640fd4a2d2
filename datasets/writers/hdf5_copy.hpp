#pragma once

#include "datasets/hdf5.hpp"

/// Parts of objects that H5Ocopy only copies together with everything below.
namespace crescendo::datasets::hdf5 {

/// All attributes, but for those made of references to objects: these would lead nowhere in another file.
void copy_attributes(hid_t from, hid_t to);

}  // namespace crescendo::datasets::hdf5
