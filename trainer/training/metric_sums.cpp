#include "trainer/training/metric_sums.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "trainer/training/ranking.hpp"

namespace crescendo::trainer {

namespace {

constexpr std::int64_t num_likeliest = 5;

// Sums for classes: samples, samples whose class is among the most likely ones, and then per class the samples that
// have it, the samples predicted to have it, and the correct ones among these.
constexpr std::size_t samples_at = 0;
constexpr std::size_t top5_at = 1;
constexpr std::size_t counts_at = 2;

// For auroc, the sums of a Ranking follow, which the members compute together.
constexpr std::size_t num_ranking_sums_of_class = 3;

// Sums for numbers: count, absolute errors, squared errors, targets, squared targets, samples, relative errors. Each
// number has the weight of its row; the mean weight is 1.
constexpr std::size_t num_sums_of_numbers = 7;

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

at::Tensor sums_of_numbers(const Task& task, const LossWeights& weights, const at::Tensor& numbers,
                           const at::Tensor& targets) {
    const at::Tensor wanted = targets.to(at::kDouble);
    const at::Tensor error = numbers.to(at::kDouble) - wanted;
    const auto sum = [&](const at::Tensor& all) { return weighed_sum(task, weights, all); };
    return at::stack({at::full({}, static_cast<double>(wanted.numel()), wanted.options()), sum(error.abs()),
                      sum(error.square()), sum(wanted), sum(wanted.square()),
                      at::full({}, static_cast<double>(wanted.size(0)), wanted.options()),
                      relative_errors(task, weights, numbers.to(at::kDouble), wanted).sum()});
}

/// The mean of `of_class(class)` over the classes for which it is not NaN: those that occur.
template <class OfClass>
double mean_over_classes(std::size_t classes, OfClass of_class) {
    double sum = 0;
    double count = 0;
    for (std::size_t i = 0; i < classes; ++i) {
        const double value = of_class(i);
        if (!std::isnan(value)) {
            sum += value;
            count += 1;
        }
    }
    return sum / count;
}

double value_of(Metric metric, const MetricSums& sums, const Task& task) {
    const auto classes = static_cast<std::size_t>(task.num_outputs);
    const auto has = [&](std::size_t i) { return sums[counts_at + i]; };
    const auto said = [&](std::size_t i) { return sums[counts_at + classes + i]; };
    const auto right = [&](std::size_t i) { return sums[counts_at + 2 * classes + i]; };
    switch (metric) {
        case Metric::top5:
            return sums[top5_at] / sums[samples_at];
        case Metric::f1:
            return mean_over_classes(classes, [&](std::size_t i) { return 2 * right(i) / (has(i) + said(i)); });
        case Metric::balanced_accuracy:
            return mean_over_classes(classes, [&](std::size_t i) { return right(i) / has(i); });
        case Metric::auroc:
            return mean_area(&sums[counts_at + 3 * classes], classes);
        case Metric::mae:
            return sums[1] / sums[0];
        case Metric::rmse:
            return std::sqrt(sums[2] / sums[0]);
        case Metric::r2: {
            constexpr double rounding = 1e-13;  // relative difference that rounding may cause if all targets are equal
            const double variation = sums[4] - sums[3] * sums[3] / sums[0];
            return 1.0 - sums[2] / (variation > rounding * sums[4] ? variation : 0.0);
        }
        case Metric::relative_l2:
            return sums[6] / sums[5];
    }
    return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

bool wants_ranking(const Settings& settings) {
    return std::find(settings.metrics.begin(), settings.metrics.end(), Metric::auroc) != settings.metrics.end();
}

MetricSums no_sums(const Settings& settings, const Task& task) {
    if (settings.metrics.empty()) {
        return {};
    }
    const auto classes = static_cast<std::size_t>(task.num_outputs);
    const std::size_t of_ranking = wants_ranking(settings) ? num_ranking_sums_of_class * classes : 0;
    return MetricSums(is_of_classes(task) ? counts_at + 3 * classes + of_ranking : num_sums_of_numbers, 0.0);
}

at::Tensor metric_sums(const Settings& settings, const Task& task, const LossWeights& weights,
                       const at::Tensor& outputs, const at::Tensor& targets) {
    if (settings.metrics.empty()) {
        return at::empty({0}, outputs.options().dtype(at::kDouble));
    }
    const at::Tensor numbers = settings.loss.loss == Loss::bce ? outputs.sigmoid() : outputs;
    const at::Tensor sums = is_of_classes(task) ? sums_of_classes(task, outputs, targets)
                                                : sums_of_numbers(task, weights, numbers, targets);
    return sums.to(at::kDouble);
}

void add_metrics(Metrics& metrics, const std::string& prefix, const MetricSums& sums, const Settings& settings,
                 const Task& task) {
    for (const auto metric : settings.metrics) {
        metrics[prefix + "_" + metric_words.of(metric)] = value_of(metric, sums, task);
    }
}

}  // namespace crescendo::trainer
