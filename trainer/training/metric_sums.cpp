#include "trainer/training/metric_sums.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace crescendo::trainer {

namespace {

constexpr std::int64_t num_likeliest = 5;

// Classes: the samples, those with the right class among the likeliest, and then for each class the samples that have
// it, that are said to have it, and that are rightly said to have it.
constexpr std::size_t samples_at = 0;
constexpr std::size_t top5_at = 1;
constexpr std::size_t counts_at = 2;

// Numbers: how many there are, absolute errors, squared errors, targets, squared targets.
constexpr std::size_t num_sums_of_numbers = 5;

bool is_of_classes(const Task& task) { return task.kind == Task::Kind::classification; }

at::Tensor sums_of_classes(const Task& task, const at::Tensor& outputs, const at::Tensor& targets) {
    const std::int64_t likeliest = std::min(num_likeliest, task.num_outputs);
    const at::Tensor said = outputs.argmax(1);
    const at::Tensor top = std::get<1>(outputs.topk(likeliest, 1)).eq(targets.unsqueeze(1)).any(1).sum();
    const auto count = [&](const at::Tensor& classes) { return at::bincount(classes, {}, task.num_outputs); };
    const at::Tensor samples = at::full_like(top, outputs.size(0));
    const at::Tensor right = targets.masked_select(said == targets);
    return at::cat({at::stack({samples, top}), count(targets), count(said), count(right)});
}

at::Tensor sums_of_numbers(const at::Tensor& numbers, const at::Tensor& targets) {
    const at::Tensor wanted = targets.to(at::kDouble);
    const at::Tensor error = numbers.to(at::kDouble) - wanted;
    return at::stack({at::full({}, static_cast<double>(wanted.numel()), wanted.options()), error.abs().sum(),
                      error.square().sum(), wanted.sum(), wanted.square().sum()});
}

/// The mean of `of_class(has, said, right)` over the classes that occur.
template <class OfClass>
double mean_over_classes(const MetricSums& sums, const Task& task, OfClass of_class) {
    const auto classes = static_cast<std::size_t>(task.num_outputs);
    double sum = 0;
    double count = 0;
    for (std::size_t i = 0; i < classes; ++i) {
        const double value =
            of_class(sums[counts_at + i], sums[counts_at + classes + i], sums[counts_at + 2 * classes + i]);
        if (!std::isnan(value)) {
            sum += value;
            count += 1;
        }
    }
    return sum / count;
}

double value_of(Metric metric, const MetricSums& sums, const Task& task) {
    switch (metric) {
        case Metric::top5:
            return sums[top5_at] / sums[samples_at];
        case Metric::f1:
            return mean_over_classes(sums, task, [](double has, double said, double right) {
                return 2 * right / (has + said);
            });
        case Metric::balanced_accuracy:
            return mean_over_classes(sums, task, [](double has, double, double right) { return right / has; });
        case Metric::mae:
            return sums[1] / sums[0];
        case Metric::rmse:
            return std::sqrt(sums[2] / sums[0]);
        case Metric::r2:
            return 1.0 - sums[2] / (sums[4] - sums[3] * sums[3] / sums[0]);
    }
    return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

MetricSums no_sums(const Settings& settings, const Task& task) {
    if (settings.metrics.empty()) {
        return {};
    }
    const auto classes = static_cast<std::size_t>(task.num_outputs);
    return MetricSums(is_of_classes(task) ? counts_at + 3 * classes : num_sums_of_numbers, 0.0);
}

at::Tensor metric_sums(const Settings& settings, const Task& task, const at::Tensor& outputs,
                       const at::Tensor& targets) {
    if (settings.metrics.empty()) {
        return at::empty({0}, outputs.options().dtype(at::kDouble));
    }
    const at::Tensor numbers = settings.loss.loss == Loss::bce ? outputs.sigmoid() : outputs;
    const at::Tensor sums =
        is_of_classes(task) ? sums_of_classes(task, outputs, targets) : sums_of_numbers(numbers, targets);
    return sums.to(at::kDouble);
}

void add_metrics(Metrics& metrics, const std::string& prefix, const MetricSums& sums, const Settings& settings,
                 const Task& task) {
    for (const auto metric : settings.metrics) {
        metrics[prefix + "_" + metric_words.of(metric)] = value_of(metric, sums, task);
    }
}

}  // namespace crescendo::trainer
