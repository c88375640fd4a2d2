#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "datasets/samples/sample_set.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

class DataCache;

/// What the data require from a model.
struct Task {
    enum class Kind {
        classification,  ///< targets are class numbers from 0; by default cross entropy
        regression,      ///< targets are measurements (Field::is_real); by default mean squared error
        reconstruction,  ///< the inputs themselves are the targets; by default mean squared error
    };

    Kind kind = Kind::classification;
    std::vector<std::int64_t> input_shape;   ///< of one sample; several inputs become stacked channels or one axis
    std::vector<std::int64_t> target_shape;  ///< of one sample; empty for a scalar; for a reconstruction, the input's
    std::int64_t num_outputs = 0;            ///< classes, or numbers to predict
    std::int64_t num_samples = 0;            ///< samples in the training set, which are one epoch
    std::vector<double> class_weights = {};  ///< loss factors in training, one per class; empty: all are 1
    std::vector<double> row_weights = {};    ///< latitude_weights(); empty: all are 1
    bool wants_shares = false;  ///< whether targets must be numbers from 0 to 1, as for binary cross entropy

    friend bool operator==(const Task&, const Task&) = default;
};

/// Returns everything that keeps the model of `settings` from learning from these samples. `data_key` is the setting
/// that names the samples.
std::vector<Problem> misfits(const Settings& settings, const datasets::SampleSet& samples, const std::string& data_key);

/// Whether both sets make the same demands on the model of `settings`, so that a model that fits one fits the other.
/// Their sizes do not matter.
bool ask_alike(const Settings& settings, const datasets::SampleSet& a, const datasets::SampleSet& b);

/// Whether a model of `settings` learns the classes of a set without misfits.
bool learns_classes(const Settings& settings, const datasets::SampleSet& samples);

/// Names of all metrics in each report of a trial that trains on `samples` with `settings`. `samples` must have no
/// misfits.
std::vector<std::string> reported_metrics(const Settings& settings, const datasets::SampleSet& samples);

/// Number of classes, numbered from 0, that a model distinguishes: the setting if there is one, else the number in the
/// training targets. Throws like count_classes.
std::int64_t num_classes(const Settings& settings, DataCache& data);

/// The task of the training set, which must have no misfits. Throws like num_classes.
Task describe_task(const Settings& settings, DataCache& data);

/// Returns what keeps the model and the loss of `settings` from learning a task whose samples have no misfits.
std::vector<Problem> misfits_of_task(const Settings& settings, const Task& task);

/// Why the outputs of a network do not fit the targets; empty if they do. `outputs` is their shape, for `num_samples`
/// samples.
std::string misfit_of_outputs(const Task& task, const std::vector<std::int64_t>& outputs, std::int64_t num_samples);

void to_json(nlohmann::json& json, const Task& task);
void from_json(const nlohmann::json& json, Task& task);

}  // namespace crescendo::trainer
