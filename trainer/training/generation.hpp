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

/// Called after every step that this member completes. `slice` has the step's samples.
using StepObserver = std::function<void(const Trial& trial, const datasets::Slice& slice)>;

/// The streams of samples that a generation reads. A member opens them before it meets the others, because a newcomer
/// may need long for that, and the others should not wait for it in a collective.
struct Streams {
    /// `cache` must outlive the streams.
    Streams(const Settings& settings, DataCache& cache);

    datasets::SampleStream& training;
    datasets::SampleStream* validation;  ///< null if the trial has no validation samples
    datasets::SampleStream* test;        ///< null if the trial's last report has no metrics of test samples
};

/// The training of a trial by one group, from one regroup to the next, or until a peer is lost.
class Generation {
  public:
    /// `sweep_seed` is the same for all trials of a sweep. `streams` must come from the trial's settings. Their cache,
    /// and all arguments except the group, must outlive the generation.
    Generation(Group group, Trial& trial, std::uint64_t sweep_seed, const Streams& streams, Pulse& pulse,
               const StepObserver& observer);

    /// If the resource is seconds, sets every member's clock to rank 0's, so that reports are due between the same
    /// steps on all members and learning rates are equal. Call it after members have added their own measured times,
    /// such as the time of a regroup. Throws PeerLost.
    void agree_on_clock();

    /// Trains on the group's next samples, or begins the next epoch if this one is finished. Returns whether it
    /// trained. Throws PeerLost.
    bool step();

    /// Evaluates the model and makes the trial's report at `resource`, which is then pending. The last report may also
    /// have metrics of the test samples (Settings::test_trials). If this throws PeerLost, the report is still due.
    void report(std::int64_t resource);

    /// Measurements of the group's training between the last two reports.
    struct Measures {
        double data_wait = 0.0;                   ///< share of time spent waiting for data, mean over members
        double left_out = 0.0;                    ///< share of samples skipped for non-finite numbers
        std::optional<double> step_seconds = {};  ///< StepClock::mean()
        std::int64_t group_batch = 0;             ///< Trial::group_batch()
        std::optional<double> noise_scale = {};   ///< NoiseScale::value()
    };

    /// nullopt before this generation's first report. Not part of the report, because a repeated sweep must give equal
    /// reports.
    const std::optional<Measures>& measures() const { return measures_; }

    /// How long this member has waited for samples since the last report.
    std::chrono::duration<double> waited() const { return batches_.waited(); }

    /// StepClock::mean() since the last report.
    std::optional<double> step_seconds();

    /// See StepClock::end_warm_up().
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
    Clock::time_point began_ = Clock::now();  ///< start of the first step since the last report, else of the generation
    std::int64_t group_samples_ = 0;          ///< samples that the group trained on since `began_`
    std::int64_t left_out_ = 0;               ///< samples that this member skipped since `began_`
    StepClock step_clock_;
    std::optional<Measures> measures_;
};

}  // namespace crescendo::trainer
