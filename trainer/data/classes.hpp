#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "datasets/samples/sample_set.hpp"
#include "datasets/samples/sample_stream.hpp"

namespace crescendo::trainer {

struct LossSettings;

/// Number of samples of each class in a set. Never empty, and the last class has at least one sample.
using ClassCounts = std::vector<std::int64_t>;

/// Counts the samples of each class in a set. Skips targets that mark a missing class (Field::packing), unless
/// `non_finite` keeps them. Reads all targets, one whole number per sample, and no inputs. Calls `beat`, which may be
/// null, after each read of some MiB. Throws InvalidInput if a number is not a class or if there are no classes, and
/// what SampleSet::read throws.
ClassCounts count_classes(const datasets::SampleSet& samples, datasets::NonFinite non_finite,
                          const std::function<void()>& beat);

/// Factors on the losses of samples, by class: the factor of the settings times one that is proportional to
/// count^-class_balance and has the mean 1 over the samples. With class_balance = 1, all classes weigh alike.
std::vector<double> class_weights(const LossSettings& settings, const ClassCounts& counts, std::int64_t num_classes);

}  // namespace crescendo::trainer
