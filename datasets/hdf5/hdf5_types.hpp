#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "datasets/hdf5/field.hpp"
#include "datasets/hdf5/hdf5.hpp"

namespace crescendo::datasets::hdf5 {

/// The element type of a data set's type in the file, in either byte order; none if it is not a number. An enumeration,
/// such as h5py's bool, counts as the integer that stores it.
std::optional<ElementType> element_type(hid_t type);

/// Bytes of all elements of a data set with this extent. Throws DamagedFile above 2^60: no file has that many, and sums
/// of them could overflow.
std::int64_t num_bytes(const std::vector<std::int64_t>& extent, ElementType element, const std::string& name);

/// The type of the numbers themselves: for an enumeration, the integer that stores it.
Handle number_type(hid_t type);

/// HDF5's type for elements in memory, in host byte order.
Handle memory_type(ElementType type);

/// h5py's enumeration of FALSE and TRUE for NumPy's booleans. It counts as i8.
Handle boolean_type();

/// The name of a type for users: "uint8", "float32, big-endian", "string", "compound".
std::string type_name(hid_t type);

}  // namespace crescendo::datasets::hdf5
