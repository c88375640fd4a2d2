#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "datasets/samples/sample_set.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

class DataCache;

/// What the data ask of a model.
struct Task {
    enum class Kind {
        classification,  ///< targets are class numbers from 0; cross entropy
        regression,      ///< targets are floating-point numbers; mean squared error
        reconstruction,  ///< the inputs themselves are the targets; mean squared error
    };

    Kind kind = Kind::classification;
    std::vector<std::int64_t> input_shape;   ///< of one sample; of several inputs the stacked channels, or all numbers
    std::vector<std::int64_t> target_shape;  ///< of one sample; empty for a scalar. Of a reconstruction the input's
    std::int64_t num_outputs = 0;            ///< classes, or numbers to predict
    std::int64_t num_samples = 0;            ///< of the training set: an epoch

    friend bool operator==(const Task&, const Task&) = default;
};

/// Everything about these samples that the model of `settings` cannot learn from; `data_key` is the
/// setting that names them.
std::vector<Problem> misfits(const Settings& settings, const datasets::SampleSet& samples, const std::string& data_key);

/// Whether both sets ask the same of the model of `settings`, whatever their sizes: one that fits the one fits the
/// other.
bool ask_alike(const Settings& settings, const datasets::SampleSet& a, const datasets::SampleSet& b);

/// Whether a model of `settings` learns the classes of a set without misfits.
bool learns_classes(const Settings& settings, const datasets::SampleSet& samples);

/// The classes that a model tells apart, from 0: as many as the settings say, else as the training targets have. Throws
/// like count_classes.
std::int64_t num_classes(const Settings& settings, DataCache& data);

/// The task of a training set without misfits. An autoencoder reconstructs its inputs, unless the targets are fields
/// (height x width, or channels x height x width) of the inputs' height and width: then it predicts these. Throws like
/// num_classes.
Task describe_task(const Settings& settings, DataCache& data);

void to_json(nlohmann::json& json, const Task& task);
void from_json(const nlohmann::json& json, Task& task);

}  // namespace crescendo::trainer
