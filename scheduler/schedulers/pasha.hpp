#pragma once

#include <optional>
#include <vector>

#include "scheduler/schedulers/cut.hpp"
#include "scheduler/schedulers/promoting_asha.hpp"
#include "scheduler/schedulers/scheduler.hpp"

namespace crescendo {

/// Progressive ASHA (Bohdal et al., "PASHA: Efficient HPO and NAS with Progressive Resource Allocation", ICLR 2023):
/// promoting ASHA in which only the two lowest rungs are open at first. A result at the top open rung opens the next
/// one if the ranking of the trials there is then unstable, that is, if it differs from their ranking at the rung
/// below.
///
/// The ranking is soft: a place may be taken by any trial whose loss at the lower rung is within epsilon of the loss of
/// the trial that held the place there. Epsilon is the 90th percentile (nearest rank) of the distances, at the top open
/// rung, between the trials of pairs whose curves cross and cross back: such a change of order is noise. Epsilon is 0
/// until there is such a pair, and keeps its value from rung to rung until there is a new one.
///
/// A result at the top open rung costs O(m log m) plus the length of m curves, with m results there. Each pair of
/// trials whose curves cross twice takes 16 bytes as long as that rung is the top one.
class Pasha final : public Scheduler {
  public:
    /// `spec` is valid.
    explicit Pasha(const SweepSpec& spec);

    int begin(TrialId trial) override { return asha_.begin(trial); }
    Judgement report(const Trial& trial) override;
    void fail(const Trial& trial) override { asha_.fail(trial); }
    void retry(const Trial& trial) override { asha_.retry(trial); }
    void withdraw(const Trial& trial) override { asha_.withdraw(trial); }
    void end_all() override { asha_.end_all(); }
    std::optional<TrialId> promotable() const override { return asha_.promotable(); }
    void promote() override { asha_.promote(); }
    Resource next_milestone(int bracket, int rungs_survived) const override {
        return asha_.next_milestone(bracket, rungs_survived);
    }
    std::vector<RungSize> rungs() const override { return asha_.rungs(); }

  private:
    struct Point {
        Resource resource;
        double loss;
    };
    using Curve = std::vector<Point>;

    /// A trial's result at the top open rung, and at the rung below it.
    struct Contender {
        Result now;
        Result before;
    };

    static double loss_at(const Curve& curve, Resource milestone);
    static bool crosses_twice(const Curve& a, const Curve& b);
    const Curve& curve_of(TrialId trial) const { return curves_[static_cast<std::size_t>(trial.value)]; }
    void measure_noise(const Result& newcomer);
    bool is_stable() const;
    void open_next_rung();

    PromotingAsha asha_;
    int top_;  // the highest open rung
    double epsilon_ = 0;
    std::vector<Curve> curves_;  // by trial
    std::vector<Contender> contenders_;
    Cut distances_;  // at the top open rung, between the trials of pairs that cross twice; cut at the 90th percentile
};

}  // namespace crescendo
