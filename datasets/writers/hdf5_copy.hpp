#pragma once

#include <string>

#include "datasets/hdf5/field.hpp"
#include "datasets/hdf5/hdf5.hpp"

/// Copies parts of objects that H5Ocopy copies only together with everything below them, or in a way that nobody can
/// read.
namespace crescendo::datasets::hdf5 {

/// The type of the numbers of a copy of `data_set`: that of the old ones, with the names of an enumeration, such as
/// h5py's booleans, in this machine's byte order. Where its numbers become others, `element` alone.
Handle type_of_copy(hid_t data_set, ElementType element);

/// Copies all attributes, except those made of references to objects, which would be invalid in another file.
void copy_attributes(hid_t from, hid_t to);

/// Copies a data set or a named type, with its attributes, into the group `to`.
void copy_object(hid_t from, hid_t to, const std::string& name);

}  // namespace crescendo::datasets::hdf5
