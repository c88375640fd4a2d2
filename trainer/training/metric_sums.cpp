#include "trainer/training/metric_sums.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "trainer/models/objective.hpp"

namespace crescendo::trainer {

namespace {

constexpr std::int64_t num_likeliest = 5;

// Classes: the samples, those with the right class among the likeliest, and then for each class the samples that have
// it, that are said to have it, and that are rightly said to have it.
constexpr std::size_t samples_at = 0;
constexpr std::size_t top5_at = 1;
constexpr std::size_t counts_at = 2;

// For auroc, behind these: for each class a histogram of the log-odds that all samples give it, and one of those that
// its own samples give it. Within a bin nothing is known of the order, which counts as a draw.
constexpr std::int64_t num_bins = 1024;
constexpr double most_log_odds = 16;

// Numbers: how many there are, absolute errors, squared errors, targets, squared targets, samples, relative errors.
// What is of numbers is weighed by their rows, whose mean weight is 1.
constexpr std::size_t num_sums_of_numbers = 7;

bool is_of_classes(const Task& task) { return task.kind == Task::Kind::classification; }

bool wants(const Settings& settings, Metric metric) {
    return std::find(settings.metrics.begin(), settings.metrics.end(), metric) != settings.metrics.end();
}

at::Tensor histograms(const Task& task, const at::Tensor& outputs, const at::Tensor& targets) {
    const at::Tensor log_shares = outputs.to(at::kDouble).log_softmax(1);
    const at::Tensor log_odds = log_shares - at::log1p(-log_shares.exp());
    const at::Tensor bins = ((log_odds + most_log_odds) * (num_bins / (2 * most_log_odds)))
                                .nan_to_num(0)  // of a model that diverged
                                .clamp(0, num_bins - 1)
                                .to(at::kLong)
                                .add_(at::arange(task.num_outputs, targets.options()) * num_bins);
    const std::int64_t size = task.num_outputs * num_bins;
    return at::cat({at::bincount(bins.flatten(), {}, size),
                    at::bincount(bins.gather(1, targets.unsqueeze(1)).flatten(), {}, size)});
}

at::Tensor sums_of_classes(const Settings& settings, const Task& task, const at::Tensor& outputs,
                           const at::Tensor& targets) {
    const std::int64_t likeliest = std::min(num_likeliest, task.num_outputs);
    const at::Tensor said = outputs.argmax(1);
    const at::Tensor top = std::get<1>(outputs.topk(likeliest, 1)).eq(targets.unsqueeze(1)).any(1).sum();
    const auto count = [&](const at::Tensor& classes) { return at::bincount(classes, {}, task.num_outputs); };
    const at::Tensor samples = at::full_like(top, outputs.size(0));
    const at::Tensor right = targets.masked_select(said == targets);
    const at::Tensor counts = at::cat({at::stack({samples, top}), count(targets), count(said), count(right)});
    return wants(settings, Metric::auroc) ? at::cat({counts, histograms(task, outputs, targets)}) : counts;
}

at::Tensor sums_of_numbers(const Task& task, const at::Tensor& numbers, const at::Tensor& targets) {
    const at::Tensor wanted = targets.to(at::kDouble);
    const at::Tensor error = numbers.to(at::kDouble) - wanted;
    const auto sum = [&](const at::Tensor& all) { return weighed_sum(task, all); };
    return at::stack({at::full({}, static_cast<double>(wanted.numel()), wanted.options()), sum(error.abs()),
                      sum(error.square()), sum(wanted), sum(wanted.square()),
                      at::full({}, static_cast<double>(wanted.size(0)), wanted.options()),
                      relative_errors(task, numbers.to(at::kDouble), wanted).sum()});
}

/// The mean of `of_class(number of a class)` over the classes for which it is a number: those that occur.
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

/// The share of pairs of a sample of the class and one of the others in which the former has the higher log-odds.
double area_under_curve(const double* all, const double* own) {
    double below = 0;
    double num_own = 0;
    double won = 0;
    for (std::int64_t i = 0; i < num_bins; ++i) {
        const double others = all[i] - own[i];
        won += own[i] * (below + others / 2);
        below += others;
        num_own += own[i];
    }
    return won / (num_own * below);
}

double value_of(Metric metric, const MetricSums& sums, const Task& task) {
    const auto classes = static_cast<std::size_t>(task.num_outputs);
    const auto has = [&](std::size_t i) { return sums[counts_at + i]; };
    const auto said = [&](std::size_t i) { return sums[counts_at + classes + i]; };
    const auto right = [&](std::size_t i) { return sums[counts_at + 2 * classes + i]; };
    const auto histogram = [&](std::size_t i) { return &sums[counts_at + 3 * classes + i * num_bins]; };
    switch (metric) {
        case Metric::top5:
            return sums[top5_at] / sums[samples_at];
        case Metric::f1:
            return mean_over_classes(classes, [&](std::size_t i) { return 2 * right(i) / (has(i) + said(i)); });
        case Metric::balanced_accuracy:
            return mean_over_classes(classes, [&](std::size_t i) { return right(i) / has(i); });
        case Metric::auroc:
            return mean_over_classes(
                classes, [&](std::size_t i) { return area_under_curve(histogram(i), histogram(classes + i)); });
        case Metric::mae:
            return sums[1] / sums[0];
        case Metric::rmse:
            return std::sqrt(sums[2] / sums[0]);
        case Metric::r2:
            return 1.0 - sums[2] / (sums[4] - sums[3] * sums[3] / sums[0]);
        case Metric::relative_l2:
            return sums[6] / sums[5];
    }
    return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

MetricSums no_sums(const Settings& settings, const Task& task) {
    if (settings.metrics.empty()) {
        return {};
    }
    const auto classes = static_cast<std::size_t>(task.num_outputs);
    const std::size_t in_histograms = wants(settings, Metric::auroc) ? 2 * classes * num_bins : 0;
    return MetricSums(is_of_classes(task) ? counts_at + 3 * classes + in_histograms : num_sums_of_numbers, 0.0);
}

at::Tensor metric_sums(const Settings& settings, const Task& task, const at::Tensor& outputs,
                       const at::Tensor& targets) {
    if (settings.metrics.empty()) {
        return at::empty({0}, outputs.options().dtype(at::kDouble));
    }
    const at::Tensor numbers = settings.loss.loss == Loss::bce ? outputs.sigmoid() : outputs;
    const at::Tensor sums = is_of_classes(task) ? sums_of_classes(settings, task, outputs, targets)
                                                : sums_of_numbers(task, numbers, targets);
    return sums.to(at::kDouble);
}

void add_metrics(Metrics& metrics, const std::string& prefix, const MetricSums& sums, const Settings& settings,
                 const Task& task) {
    for (const auto metric : settings.metrics) {
        metrics[prefix + "_" + metric_words.of(metric)] = value_of(metric, sums, task);
    }
}

}  // namespace crescendo::trainer
