#pragma once

#include <optional>
#include <string>

#include "datasets/hdf5/field.hpp"
#include "datasets/hdf5/hdf5.hpp"
#include "datasets/hdf5/packing.hpp"

namespace crescendo::datasets::hdf5 {

/// What the attributes of a data set of numbers say of them; nothing where they say nothing. Throws InvalidInput with
/// `name` where one of these attributes is no number, or the scale is 0.
std::optional<Packing> packing_of(hid_t data_set, ElementType type, const std::string& name);

}  // namespace crescendo::datasets::hdf5
