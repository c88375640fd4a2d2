#include "trainer/training/generation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <span>

#include "core/check.hpp"
#include "trainer/training/evaluation.hpp"

namespace crescendo::trainer {
namespace {

bool is_diverged(const Report& report) {
    const auto loss = report.metrics.find("train_loss");
    return loss != report.metrics.end() && !std::isfinite(loss->second);
}

/// Why the loss of a trial may have become infinite or NaN, and what to do about it.
std::string advice_on_divergence(const Settings& settings) {
    std::string advice =
        text("train_loss is not finite: training diverges at lr {}; use a smaller lr, or clip_norm", settings.lr);
    if (!settings.data.standardize) {
        advice += ", or data.normalize: standard if numbers in the samples are far from 0, like temperatures in K";
    }
    if (settings.data.nan == datasets::NonFinite::keep) {
        advice += "; or samples have NaN, which data.nan: keep does not leave out";
    }
    return advice;
}

}  // namespace

Streams::Streams(const Settings& settings, DataCache& cache)
    : training(cache.training(settings.data)),
      validation(settings.data.validation.empty() ? nullptr
                                                  : &cache.evaluation(settings.data.validation, settings.data)),
      test(settings.test_trials == TestTrials::best ? nullptr : &cache.evaluation(settings.data.test, settings.data)) {}

Generation::Generation(Group group, Trial& trial, std::uint64_t sweep_seed, const Streams& streams, Pulse& pulse,
                       const StepObserver& observer)
    : group_(std::move(group)),
      trial_(trial),
      order_seed_(sweep_seed, trial.seed()),
      reducer_(group_, trial.learning_parameters()),
      batches_(streams.training, trial.task(), group_.device(), [&pulse] { pulse.beat(); }),
      validation_(streams.validation),
      test_(streams.test),
      pulse_(pulse),
      observer_(observer) {}

/// Makes the stream read from the trial's position, unless it already does.
void Generation::enter() {
    const Progress& progress = trial_.progress();
    if (entered_epoch_ == progress.epoch && entered_batch_ == trial_.group_batch()) {
        return;
    }
    entered_epoch_ = progress.epoch;
    entered_batch_ = trial_.group_batch();
    batches_.enter({.seed = order_seed_,
                    .epoch = entered_epoch_,
                    .position = progress.position,
                    .group_batch = entered_batch_,
                    .rank = group_.rank(),
                    .size = group_.size(),
                    .last_epoch = trial_.ends_with_epoch()});
}

bool Generation::step() {
    const auto begin = Clock::now();
    if (group_samples_ == 0) {
        began_ = begin;
    }
    const std::int64_t trained = train();
    const double seconds = Seconds(Clock::now() - begin).count();
    trial_.progress().seconds += seconds;
    if (trained > 0) {
        step_clock_.add(seconds, /*full=*/trained == trial_.group_batch());
    }
    agree_on_clock();
    return trained > 0;
}

/// Returns the number of samples that the group trained on; 0 at the end of the epoch.
std::int64_t Generation::train() {
    enter();
    const auto loaded = batches_.next();
    if (!loaded) {
        ++trial_.progress().epoch;
        trial_.progress().position = 0;
        return 0;
    }
    trial_.step(*loaded, group_, reducer_, [this] { batches_.fetch(); });
    group_samples_ += loaded->slice.group_samples();
    left_out_ += loaded->slice.left_out(group_.rank());
    if (observer_) {
        observer_(trial_, loaded->slice);
    }
    return loaded->slice.group_samples();
}

void Generation::agree_on_clock() {
    if (trial_.settings().report.unit != ResourceUnit::seconds) {
        return;
    }
    Progress& progress = trial_.progress();
    progress.seconds = group_.sum({group_.rank() == 0 ? progress.seconds : 0.0}).front();
}

/// A lone member queues the next step before the device has finished the last one. So it waits for the device before
/// step times are reported. (In a group, each step ends with a wait.)
void Generation::catch_up() {
    if (group_.size() > 1) {
        return;
    }
    const auto begin = Clock::now();
    await(group_.device());
    const double seconds = Seconds(Clock::now() - begin).count();
    trial_.progress().seconds += seconds;
    step_clock_.wait(seconds);
}

void Generation::end_warm_up() {
    catch_up();
    step_clock_.end_warm_up();
}

std::optional<double> Generation::step_seconds() {
    catch_up();
    return step_clock_.mean();
}

/// The group's metrics of the test samples, if the report at `resource` is the last one and should have them.
Metrics Generation::test(std::int64_t resource) {
    Metrics metrics;
    if (test_ != nullptr && resource >= trial_.length()) {
        const auto share = evaluate_share(trial_, *test_, group_, pulse_);
        add_means(metrics, "test", EvaluationSums::of(group_.sum(share.numbers())), trial_);
    }
    return metrics;
}

/// The mean loss from sums over the group. If the group has made no step since the last report, because the seconds of
/// a regroup made this report due, returns the last report's loss, or nullopt.
std::optional<double> Generation::mean_loss(double samples, double sum, double left_out) const {
    if (samples == 0 && group_samples_ == 0) {
        const auto& last = trial_.progress().report;
        return last && last->metrics.contains("train_loss") ? std::optional(last->metrics.at("train_loss"))
                                                            : std::nullopt;
    }
    if (samples == 0 && left_out == static_cast<double>(group_samples_)) {
        complain_of_no_samples("train_loss");
    }
    return sum / samples;  // NaN if no loss was finite (Trial::SkippedSteps)
}

void Generation::report(std::int64_t resource) {
    Progress& progress = trial_.progress();
    catch_up();
    const auto trained = Clock::now();
    const auto waited = batches_.take_waited();
    if (resource < trial_.length()) {
        enter();  // reads ahead while the model is evaluated and crescendo decides
    }
    EvaluationSums sums;
    if (validation_) {
        sums = evaluate_share(trial_, *validation_, group_, pulse_);
    }
    const Metrics tested = test(resource);
    const auto evaluated = Clock::now();
    const bool source = group_.rank() == 0;
    std::vector<double> shares{static_cast<double>(progress.loss_samples),
                               trial_.full_progress().loss_sum,
                               (waited + sums.waited).count(),
                               Seconds(evaluated - began_).count(),
                               source ? progress.seconds : 0.0,
                               source ? progress.evaluated + Seconds(evaluated - trained).count() : 0.0,
                               progress.noise_scale.noise(),
                               static_cast<double>(left_out_)};
    const auto num_shares = shares.size();
    std::ranges::copy(sums.numbers(), std::back_inserter(shares));
    const auto total = group_.sum(shares);
    const auto evaluation = EvaluationSums::of(std::span(total).subspan(num_shares));
    const double left_out = total[7];
    Report report{.resource = resource, .metrics = {}, .seconds = total[4], .evaluated = total[5]};
    if (const auto loss = mean_loss(/*samples=*/total[0], /*sum=*/total[1], left_out)) {
        report.metrics["train_loss"] = *loss;
    }
    if (validation_) {
        add_means(report.metrics, "val", evaluation, trial_);
    }
    report.metrics.insert(tested.begin(), tested.end());
    if (source) {
        log(report, trained - began_, waited, evaluated - trained);
        if (is_diverged(report) && !(progress.report && is_diverged(*progress.report))) {
            std::printf("%s\n", advice_on_divergence(trial_.settings()).c_str());
            std::fflush(stdout);
        }
    }

    progress.seconds = report.seconds;
    progress.evaluated = report.evaluated;
    trial_.forget_losses();
    progress.report = report;
    progress.report_pending = true;
    progress.noise_scale.set_noise(total[6] / group_.size());
    const double num_samples = static_cast<double>(group_samples_) + evaluation.samples + evaluation.left_out;
    measures_ = {.data_wait = total[2] / total[3],
                 .left_out = (left_out + evaluation.left_out) / num_samples,
                 .step_seconds = step_clock_.take(),
                 .group_batch = trial_.group_batch(),
                 .noise_scale = progress.noise_scale.value()};
    group_samples_ = 0;
    left_out_ = 0;
}

void Generation::log(const Report& report, Seconds training, Seconds waiting, Seconds evaluating) const {
    std::string unit = resource_units.of(trial_.settings().report.unit);
    unit.pop_back();  // "epoch 3", of "epochs"
    std::string line = text("{} {}, {} workers, batch {}:", unit, report.resource, group_.size(), trial_.group_batch());
    for (const auto& [name, value] : report.metrics) {
        line += text(" {} {}", name, value);
    }
    std::printf("%s, %.0f samples/s, %.0f %% of the time waiting for data, %.3f s training, %.3f s evaluating\n",
                line.c_str(), static_cast<double>(group_samples_) / training.count(),
                100 * waiting.count() / training.count(), training.count(), evaluating.count());
    if (const auto& skipped = trial_.skipped_steps(); skipped.steps > 0) {
        std::printf("%lld steps before this report updated nothing, because their gradients were not finite in fp16",
                    static_cast<long long>(skipped.steps));
        if (skipped.without_loss > 0) {
            std::printf(
                "; in %lld of them the loss was not finite either, so scaling it does not help; look for numbers "
                "beyond 65504 in the samples, or use precision: bf16",
                static_cast<long long>(skipped.without_loss));
        }
        std::printf("\n");
    }
    std::fflush(stdout);
}

}  // namespace crescendo::trainer
