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
#include "trainer/training/trial.hpp"

namespace crescendo::trainer {

/// Told of every step that this member has completed: the samples were those of `slice`.
using StepObserver = std::function<void(const Trial& trial, const datasets::Slice& slice)>;

/// A trial in training by one group: from a regroup to the next one, or to the loss of a peer.
class Generation {
  public:
    /// Everything is held by reference but the group, and must outlive the generation.
    Generation(Group group, Trial& trial, DataCache& data, Pulse& pulse, const StepObserver& observer);

    const Group& group() const { return group_; }

    /// Trains on the group's next samples; false where the epoch has none left. Throws PeerLost.
    bool step();

    /// Evaluates, and counts the epoch: the trial's report is pending from then on. Throws PeerLost, and
    /// then the epoch has still to be finished.
    void finish_epoch();

    /// Share of the time since the report before the last one that the group's members waited for data, the mean of
    /// them; none before this generation's first report. It is no part of the report, which is the same whenever a
    /// sweep is repeated.
    std::optional<double> data_wait() const { return data_wait_; }

  private:
    using Clock = std::chrono::steady_clock;
    using Seconds = std::chrono::duration<double>;

    void enter(std::int64_t epoch, std::int64_t position);
    void log_epoch(const Report& report, Seconds training, Seconds waiting, Seconds evaluating) const;

    Group group_;
    Trial& trial_;
    GradientReducer reducer_;
    BatchLoader batches_;
    datasets::SampleStream* validation_;  ///< null where the trial has no validation samples
    Pulse& pulse_;
    const StepObserver& observer_;
    std::int64_t entered_epoch_ = -1;
    std::int64_t entered_batch_ = 0;
    Clock::time_point began_;         ///< the first step of this generation in this epoch
    std::int64_t group_samples_ = 0;  ///< since then
    std::optional<double> data_wait_;
};

}  // namespace crescendo::trainer
