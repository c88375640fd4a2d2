#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "datasets/samples/sample_stream.hpp"
#include "trainer/data/batch_loader.hpp"
#include "trainer/data/data_cache.hpp"
#include "trainer/group/gradient_reducer.hpp"
#include "trainer/group/group.hpp"
#include "trainer/protocol/pulse.hpp"
#include "trainer/step/step_clock.hpp"
#include "trainer/training/trial.hpp"

namespace crescendo::trainer {

/// Called after every step that this member has completed, with the samples of the step in `slice`.
using StepObserver = std::function<void(const Trial& trial, const datasets::Slice& slice)>;

/// The streams of samples that a generation reads. A member opens them before it meets the others: a newcomer may take
/// long, and they are not to wait for it in a collective.
struct Streams {
    /// `cache` must outlive the streams.
    Streams(const Settings& settings, DataCache& cache);

    datasets::SampleStream& training;
    datasets::SampleStream* validation;  ///< null where the trial has no validation samples
    datasets::SampleStream* test;        ///< null where the trial's last report has nothing of test samples
};

/// The training of a trial by one group, from a regroup to the next one or to the loss of a peer.
class Generation {
  public:
    /// `sweep_seed` is the same for all trials of a sweep. `streams` are of the trial's settings; their cache, and all
    /// arguments but the group, must outlive the generation.
    Generation(Group group, Trial& trial, std::uint64_t sweep_seed, const Streams& streams, Pulse& pulse,
               const StepObserver& observer);

    /// Where reports count seconds, all members take over rank 0's clock: they must find a report due between the same
    /// steps, and have one learning rate. Call it when members have added what each of them measured, such as the time
    /// of a regroup. Throws PeerLost.
    void agree_on_clock();

    /// Trains on the group's next samples, or begins the next epoch if this one has none left. Returns whether it
    /// trained. Throws PeerLost.
    bool step();

    /// Evaluates, and makes the trial's report of `resource`, which is then pending. The last report may have metrics
    /// of the test samples too (Settings::test_trials). If this throws PeerLost, the
    /// report is still due.
    void report(std::int64_t resource);

    /// How the group trained between the last two reports.
    struct Measures {
        double data_wait = 0.0;                   ///< share of the time that the members waited for data: the mean
        double left_out = 0.0;                    ///< share of the samples that had numbers that are not finite
        std::optional<double> step_seconds = {};  ///< StepClock's
        std::int64_t group_batch = 0;             ///< Trial::group_batch()
        std::optional<double> noise_scale = {};   ///< NoiseScale's
    };

    /// None before this generation's first report. They are not a part of the report, because a repeated sweep has the
    /// same reports.
    const std::optional<Measures>& measures() const { return measures_; }

    /// How long this member has waited for samples since the last report.
    std::chrono::duration<double> waited() const { return batches_.waited(); }

    /// StepClock's mean since the last report.
    std::optional<double> step_seconds();

    /// See StepClock.
    void end_warm_up();

  private:
    using Clock = std::chrono::steady_clock;
    using Seconds = std::chrono::duration<double>;

    void enter();
    std::int64_t train();
    void catch_up();
    Metrics test(std::int64_t resource);
    std::optional<double> mean_loss(double samples, double sum, double left_out) const;
    void log(const Report& report, Seconds training, Seconds waiting, Seconds evaluating) const;

    Group group_;
    Trial& trial_;
    datasets::OrderSeed order_seed_;
    GradientReducer reducer_;
    BatchLoader batches_;
    datasets::SampleStream* validation_;  ///< Streams::validation
    datasets::SampleStream* test_;        ///< Streams::test
    Pulse& pulse_;
    const StepObserver& observer_;
    std::int64_t entered_epoch_ = -1;
    std::int64_t entered_batch_ = 0;
    Clock::time_point began_ = Clock::now();  ///< of the first step since the last report; else of the generation
    std::int64_t group_samples_ = 0;          ///< samples of the group since `began_`
    std::int64_t left_out_ = 0;               ///< this member's of them that were skipped
    StepClock step_clock_;
    std::optional<Measures> measures_;
};

}  // namespace crescendo::trainer
