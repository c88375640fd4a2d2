#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "scheduler/repeat.hpp"
#include "scheduler/schedulers/asha.hpp"
#include "scheduler/schedulers/cut.hpp"
#include "scheduler/schedulers/scheduler.hpp"

namespace crescendo {

/// Asynchronous successive halving of configurations that several trials train, each with its own seed (`repeat:`).
///
/// A repetition pauses at a rung until the last of its siblings has arrived there. Then the configuration is judged, as
/// a trial of Asha, by the mean or the worst of their losses. All of them continue, or none does. At the maximum
/// resource nothing is decided, so no repetition waits there.
///
/// No repetition waits for a sibling that has ended. A repetition that came to its own end counts at later rungs with
/// its last loss. One that failed, or never reported, is left out. If all repetitions failed, the configuration has
/// failed: it counts as the worst of its next rung. A failed repetition can be retried while its configuration trains,
/// or if all its siblings failed too. It passes the rungs that were decided without it, and its siblings wait for it at
/// the next one.
class RepeatedAsha final : public Scheduler {
  public:
    /// `spec` is valid.
    explicit RepeatedAsha(const SweepSpec& spec) : repeat_(spec.repeat), asha_(spec) {}

    int begin(TrialId trial) override;
    Judgement report(const Trial& trial) override;
    void fail(const Trial& trial) override;
    bool can_retry(const Trial& trial) const override;
    void retry(const Trial& trial) override;
    void finish(const Trial& trial) override;
    void withdraw(const Trial& trial) override;
    std::optional<TrialId> promotable() const override;
    void promote() override;
    std::vector<TrialId> take_eliminated() override { return std::exchange(eliminated_, {}); }
    std::vector<JudgedConfiguration> take_judged() override { return std::exchange(judged_, {}); }
    void end_all() override;
    Resource next_milestone(int bracket, int rungs_survived) const override {
        return asha_.next_milestone(bracket, rungs_survived);
    }
    std::vector<RungSize> rungs() const override { return asha_.rungs(); }

  private:
    enum class State : std::uint8_t {
        training,  ///< on its way to the configuration's next rung
        arrived,   ///< waits at that rung for its siblings
        complete,  ///< came to its own end
        failed,
    };
    struct Repetition {
        State state = State::training;
        std::optional<double> loss{};  ///< with which it counts; none while it trains
    };
    struct Configuration {
        int bracket;
        std::vector<Repetition> repetitions;
        int rungs_survived = 0;
        double loss = 0;          ///< at its last rung
        bool is_over = false;     ///< nothing will be decided about it any more
        bool has_failed = false;  ///< all its repetitions have failed
    };
    /// Order of promotion: most rungs survived first, then the best loss of the configuration.
    using Promotion = std::pair<int, Result>;

    Configuration& configuration_of(const Trial& trial);
    Repetition& repetition_of(const Trial& trial);
    static Promotion promotion_of(const Configuration& configuration, TrialId repetition) {
        return {-configuration.rungs_survived, {configuration.loss, repetition}};
    }
    static Trial as_trial(TrialId id, const Configuration& configuration, double loss, Resource resource);
    void leave(const Trial& trial, State state);
    void settle(TrialId id);

    Repeat repeat_;
    Asha asha_;
    std::vector<Configuration> configurations_;
    std::set<Promotion> promotions_;
    std::vector<TrialId> eliminated_;
    std::vector<JudgedConfiguration> judged_;
};

}  // namespace crescendo
