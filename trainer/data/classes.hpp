#pragma once

#include <cstdint>
#include <vector>

#include "datasets/samples/sample_set.hpp"

namespace crescendo::trainer {

/// Number of samples of each class in a set. The last class has at least one.
using ClassCounts = std::vector<std::int64_t>;

/// Counts the classes of a set. Reads all targets, which are one whole number a sample, and no inputs. Throws
/// InvalidInput for a number that is not a class, and what SampleSet::read throws.
ClassCounts count_classes(const datasets::SampleSet& samples);

}  // namespace crescendo::trainer
