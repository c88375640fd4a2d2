#pragma once

#include <optional>
#include <string>

#include "datasets/hdf5/field.hpp"
#include "datasets/hdf5/hdf5.hpp"
#include "datasets/hdf5/packing.hpp"

namespace crescendo::datasets::hdf5 {

/// What the attributes of a data set say about its numbers; nothing if they say nothing. Throws InvalidInput with
/// `name` if one of these attributes is not a number, or if the scale is 0.
std::optional<Packing> packing_of(hid_t data_set, ElementType type, const std::string& name);

/// Removes the attributes that say what packed numbers mean, of a data set that has its numbers unpacked.
void remove_packing(hid_t data_set);

}  // namespace crescendo::datasets::hdf5
