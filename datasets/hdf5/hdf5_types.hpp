#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "datasets/hdf5/field.hpp"
#include "datasets/hdf5/hdf5.hpp"

namespace crescendo::datasets::hdf5 {

/// The element type of a data set's type in the file, of either byte order; nothing if it is not a number. An
/// enumeration, such as h5py's bool, counts as the integer it is stored as.
std::optional<ElementType> element_type(hid_t type);

/// Bytes of the elements of a data set of this extent. Throws DamagedFile if they are more than 2^60: no file holds as
/// many, and sums of them may overflow.
std::int64_t num_bytes(const std::vector<std::int64_t>& extent, ElementType element, const std::string& name);

/// The type of the numbers themselves. For an enumeration this is the integer that it is stored as.
Handle number_type(hid_t type);

/// HDF5's type for elements in memory, in host byte order.
Handle memory_type(ElementType type);

/// The enumeration of FALSE and TRUE that h5py has for NumPy's booleans. It counts as i8.
Handle boolean_type();

/// The name of a type for users: "uint8", "float32, big-endian", "string", "compound".
std::string type_name(hid_t type);

}  // namespace crescendo::datasets::hdf5
