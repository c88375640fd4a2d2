#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "datasets/samples/sample_set.hpp"
#include "datasets/samples/sample_stream.hpp"

namespace crescendo::trainer {

struct LossSettings;

/// Number of samples of each class in a set. There is a class, and the last one has at least one sample.
using ClassCounts = std::vector<std::int64_t>;

/// Counts the classes of a set. Passes over targets that stand for none (Field::packing), unless `non_finite` keeps
/// them. Reads all targets, which are one whole number a sample, and no inputs. Calls `beat`, which may be null, after
/// each read of some MiB. Throws InvalidInput for a number that is not a class, or if there is no class, and what
/// SampleSet::read throws.
ClassCounts count_classes(const datasets::SampleSet& samples, datasets::NonFinite non_finite,
                          const std::function<void()>& beat);

/// Factors of the losses of samples, by their class: those of the settings, and one that is proportional to
/// count^-class_balance, whose mean over the samples is 1. With 1, all classes weigh alike.
std::vector<double> class_weights(const LossSettings& settings, const ClassCounts& counts, std::int64_t num_classes);

}  // namespace crescendo::trainer
