#pragma once

#include <cstdint>
#include <vector>

#include "datasets/sample_set.hpp"

namespace crescendo::trainer {

/// How many samples of each class a set has. The last class has some.
using ClassCounts = std::vector<std::int64_t>;

/// The most classes that a model can tell apart here.
inline constexpr std::int64_t most_classes = std::int64_t{1} << 24;

/// Reads all targets, which are one whole number a sample, and no inputs. Throws InvalidInput on a number that is no
/// class, and what SampleSet::read throws.
ClassCounts count_classes(const datasets::SampleSet& samples);

}  // namespace crescendo::trainer
