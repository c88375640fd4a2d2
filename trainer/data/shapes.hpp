#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/samples/sample_set.hpp"

namespace crescendo::trainer {

/// Shape of a sample of all fields as the model sees it: channels x height x width where the fields stack, else as many
/// numbers as they have.
std::vector<std::int64_t> joined_shape(const datasets::Fields& fields);

/// Whether this is height x width, or channels x height x width.
bool is_image(const std::vector<std::int64_t>& shape);

/// "3x28x28", for messages.
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace crescendo::trainer
