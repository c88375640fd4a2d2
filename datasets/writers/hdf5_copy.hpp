#pragma once

#include <string>
#include <utility>
#include <vector>
#include "datasets/hdf5/hdf5.hpp"

/// Copies parts of objects that H5Ocopy copies only together with everything below them.
namespace crescendo::datasets::hdf5 {

/// Copies all attributes, except those made of references to objects, which would be invalid in another file.
void copy_attributes(hid_t from, hid_t to);

}  // namespace crescendo::datasets::hdf5
