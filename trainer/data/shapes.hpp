#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/samples/sample_set.hpp"

namespace crescendo::trainer {

/// Shape of a sample as the model sees it, with all fields joined: channels x height x width if the fields can be
/// stacked, else one axis with all of their numbers.
std::vector<std::int64_t> joined_shape(const datasets::Fields& fields);

/// Whether this is height x width, or channels x height x width.
bool is_image(const std::vector<std::int64_t>& shape);

/// The shape as text for messages: "3x28x28".
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace crescendo::trainer
