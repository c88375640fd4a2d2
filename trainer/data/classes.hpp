#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "datasets/samples/sample_set.hpp"

namespace crescendo::trainer {

struct LossSettings;

/// Number of samples of each class in a set. The last class has at least one.
using ClassCounts = std::vector<std::int64_t>;

/// Counts the classes of a set. Reads all targets, which are one whole number a sample, and no inputs. Calls `beat`,
/// which may be null, after each read of some MiB. Throws InvalidInput for a number that is not a class, and what
/// SampleSet::read throws.
ClassCounts count_classes(const datasets::SampleSet& samples, const std::function<void()>& beat = {});

/// Factors of the losses of samples, by their class: those of the settings, and one that is proportional to
/// count^-class_balance, whose mean over the samples is 1. With 1, all classes weigh alike.
std::vector<double> class_weights(const LossSettings& settings, const ClassCounts& counts, std::int64_t num_classes);

}  // namespace crescendo::trainer
