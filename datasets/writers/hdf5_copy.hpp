#pragma once

#include <string>

#include "datasets/hdf5/field.hpp"
#include "datasets/hdf5/hdf5.hpp"

/// Copies parts of objects that H5Ocopy can copy only together with everything below them, or copies into something
/// unreadable.
namespace crescendo::datasets::hdf5 {

/// The element type for a copy of `data_set`: its own type, including the names of an enumeration, such as h5py's
/// booleans, in this machine's byte order. If the copy has other numbers, just `element`.
Handle type_of_copy(hid_t data_set, ElementType element);

/// Copies all attributes, except object references, which would be invalid in another file.
void copy_attributes(hid_t from, hid_t to);

/// Copies a data set or a named type, with its attributes, into the group `to`.
void copy_object(hid_t from, hid_t to, const std::string& name);

}  // namespace crescendo::datasets::hdf5
