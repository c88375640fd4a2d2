#pragma once

#include <cstdint>
#include <vector>

#include "datasets/samples/sample_set.hpp"

namespace crescendo::trainer {

/// How many samples of each class a set has. The last class has some.
using ClassCounts = std::vector<std::int64_t>;

/// Reads all targets, which are one whole number a sample, and no inputs. Throws InvalidInput on a number that is no
/// class, and what SampleSet::read throws.
ClassCounts count_classes(const datasets::SampleSet& samples);

}  // namespace crescendo::trainer
