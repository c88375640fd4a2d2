#include "trainer/training/generation.hpp"

#include <cstdio>

#include "core/check.hpp"
#include "trainer/training/evaluation.hpp"

namespace crescendo::trainer {

using datasets::SampleStream;
using datasets::Slice;

namespace {

SampleStream* validation_stream(const DataSettings& data, DataCache& cache) {
    if (data.validation.empty()) return nullptr;
    return &cache.evaluation(data.validation, data);
}

}  // namespace

Generation::Generation(Group group, Trial& trial, DataCache& data, Pulse& pulse, const StepObserver& observer)
    : group_(std::move(group)),
      trial_(trial),
      reducer_(group_, trial.parameters()),
      batches_(data.training(trial.settings().data), trial.task(), group_.device()),
      validation_(validation_stream(trial.settings().data, data)),
      pulse_(pulse),
      observer_(observer) {}

/// Has the stream read on from there, unless it does so already.
void Generation::enter(std::int64_t epoch, std::int64_t position) {
    if (entered_epoch_ == epoch && entered_batch_ == trial_.group_batch()) return;
    entered_epoch_ = epoch;
    entered_batch_ = trial_.group_batch();
    batches_.enter({.seed = trial_.seed(),
                    .epoch = epoch,
                    .position = position,
                    .group_batch = entered_batch_,
                    .rank = group_.rank(),
                    .size = group_.size()});
}

bool Generation::step() {
    if (group_samples_ == 0) began_ = Clock::now();
    enter(trial_.progress().epoch, trial_.progress().position);
    const auto loaded = batches_.next();
    if (!loaded) return false;
    const auto& slice = loaded->slice;
    trial_.step(*loaded, group_, reducer_, [this] { batches_.fetch(); });
    group_samples_ += slice.group_samples;
    if (observer_) observer_(trial_, slice);
    return true;
}

void Generation::finish_epoch() {
    Progress& progress = trial_.progress();
    const auto trained = Clock::now();
    const auto waited = batches_.take_waited();
    enter(progress.epoch + 1, 0);  // is read while the model is evaluated and crescendo decides
    EvaluationSums sums;
    if (validation_) sums = evaluate_share(trial_, *validation_, group_, pulse_);
    const auto evaluated = Clock::now();
    const auto total =
        group_.sum({static_cast<double>(progress.loss_samples), progress.loss_sum, sums.samples, sums.loss,
                    sums.correct, (waited + sums.waited).count(), Seconds(evaluated - began_).count()});
    Report report{.resource = Resource{progress.epoch + 1}, .metrics = {{"train_loss", total[1] / total[0]}}};
    if (validation_) {
        add_means(report.metrics, "val", {.samples = total[2], .loss = total[3], .correct = total[4]}, trial_.task());
    }
    if (group_.rank() == 0) log_epoch(report, trained - began_, waited, evaluated - trained);

    ++progress.epoch;
    progress.position = 0;
    progress.loss_sum = 0.0;
    progress.loss_samples = 0;
    progress.report = report;
    progress.report_pending = true;
    data_wait_ = total[5] / total[6];
    group_samples_ = 0;
}

void Generation::log_epoch(const Report& report, Seconds training, Seconds waiting, Seconds evaluating) const {
    std::string line =
        text("epoch {}, {} workers, batch {}:", report.resource.value, group_.size(), trial_.group_batch());
    for (const auto& [name, value] : report.metrics) line += text(" {} {}", name, value);
    std::printf("%s, %.0f samples/s, %.0f %% of the time waiting for data, %.3f s training, %.3f s evaluating\n",
                line.c_str(), static_cast<double>(group_samples_) / training.count(),
                100 * waiting.count() / training.count(), training.count(), evaluating.count());
    std::fflush(stdout);
}

}  // namespace crescendo::trainer
