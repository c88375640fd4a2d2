#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "datasets/sample_set.hpp"
#include "trainer/settings.hpp"

namespace crescendo::trainer {

/// What the data ask of a model.
struct Task {
    enum class Kind {
        classification,  ///< targets are class numbers from 0; cross entropy
        regression,      ///< targets are floating-point numbers; mean squared error
    };

    Kind kind = Kind::classification;
    std::vector<std::int64_t> input_shape;   ///< of one sample; of several inputs the stacked channels, or all numbers
    std::vector<std::int64_t> target_shape;  ///< of one sample; empty for a scalar
    std::int64_t num_outputs = 0;            ///< classes, or numbers to predict
    std::int64_t num_samples = 0;            ///< of the training set: an epoch

    friend bool operator==(const Task&, const Task&) = default;
};

/// Everything about these samples that the model of `settings` cannot learn from; `data_key` is the
/// setting that names them.
std::vector<Problem> misfits(const Settings& settings, const datasets::SampleSet& samples, const std::string& data_key);

/// The task of a set without misfits. Classes are counted in its targets unless `classes` gives their
/// number. Throws InvalidInput on a negative class number.
Task describe_task(const datasets::SampleSet& samples, std::int64_t classes);

void to_json(nlohmann::json& json, const Task& task);
void from_json(const nlohmann::json& json, Task& task);

}  // namespace crescendo::trainer
