#pragma once

#include <optional>
#include <string>

#include "datasets/hdf5/field.hpp"
#include "datasets/hdf5/hdf5.hpp"
#include "datasets/hdf5/packing.hpp"

namespace crescendo::datasets::hdf5 {

/// The packing that a data set's attributes describe; none if they describe none. Throws InvalidInput with `name` if
/// one of these attributes is not a number, or if the scale is 0.
std::optional<Packing> packing_of(hid_t data_set, ElementType type, const std::string& name);

/// Removes the packing attributes of a data set whose numbers were written unpacked.
void remove_packing(hid_t data_set);

}  // namespace crescendo::datasets::hdf5
