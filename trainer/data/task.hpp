#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "datasets/samples/sample_set.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

class DataCache;

/// What the data require of a model.
struct Task {
    enum class Kind {
        classification,  ///< targets are class numbers from 0; by default cross entropy
        regression,      ///< targets are measurements (Field::is_real); by default mean squared error
        reconstruction,  ///< the inputs themselves are the targets; by default mean squared error
    };

    Kind kind = Kind::classification;
    std::vector<std::int64_t> input_shape;   ///< of one sample; several inputs: stacked channels, or all numbers
    std::vector<std::int64_t> target_shape;  ///< of one sample; empty for a scalar; reconstruction: the input's
    std::int64_t num_outputs = 0;            ///< classes, or numbers to predict
    std::int64_t num_samples = 0;            ///< samples of the training set: an epoch
    std::vector<double> class_weights = {};  ///< factors of samples by their class, in training; empty: all are 1
    std::vector<double> row_weights = {};    ///< latitude_weights(); empty: all are 1
    bool wants_shares = false;  ///< whether targets must be numbers from 0 to 1, as for binary cross entropy

    friend bool operator==(const Task&, const Task&) = default;
};

/// Problems of these samples: everything that keeps the model of `settings` from learning from them. `data_key` is the
/// setting that names them.
std::vector<Problem> misfits(const Settings& settings, const datasets::SampleSet& samples, const std::string& data_key);

/// Whether both sets require the same of the model of `settings`, whatever their sizes: a model that fits one fits the
/// other.
bool ask_alike(const Settings& settings, const datasets::SampleSet& a, const datasets::SampleSet& b);

/// Whether a model of `settings` learns the classes of a set without misfits.
bool learns_classes(const Settings& settings, const datasets::SampleSet& samples);

/// Names of all metrics in each report of a trial of `settings` that trains on `samples`, which have no misfits.
std::vector<std::string> reported_metrics(const Settings& settings, const datasets::SampleSet& samples);

/// Number of classes that a model tells apart, counted from 0: as the settings say, else as the training targets have.
/// Throws like count_classes.
std::int64_t num_classes(const Settings& settings, DataCache& data);

/// The task of a training set without misfits. Throws like num_classes.
Task describe_task(const Settings& settings, DataCache& data);

/// What keeps model and loss of `settings` from learning a task whose samples have no misfits.
std::vector<Problem> misfits_of_task(const Settings& settings, const Task& task);

/// Why the outputs of a network do not fit the targets; empty if they do. `outputs` is their shape, for `num_samples`
/// samples.
std::string misfit_of_outputs(const Task& task, const std::vector<std::int64_t>& outputs, std::int64_t num_samples);

void to_json(nlohmann::json& json, const Task& task);
void from_json(const nlohmann::json& json, Task& task);

}  // namespace crescendo::trainer
