#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "scheduler/schedulers/cut.hpp"
#include "scheduler/schedulers/scheduler.hpp"
#include "scheduler/sweep_spec.hpp"

namespace crescendo {

/// The median stopping rule (Golovin et al., "Google Vizier", KDD 2017, section 3.2.2): a trial stops at a report when
/// its best loss so far is strictly worse than the median of the other trials' running average losses up to the same
/// resource.
///
/// The other trials are all that have reported at that resource before, ended or not. (Vizier waits for them to end;
/// Ray Tune's MedianStoppingRule does not.) No trial is judged below the resource `min`, or by fewer than three others.
class Median final : public Scheduler {
  public:
    /// `spec` is valid.
    explicit Median(const SweepSpec& spec) : min_(spec.scheduler.min), max_(spec.scheduler.max) {}

    Judgement report(const Trial& trial) override;
    void fail(const Trial&) override {}
    Resource next_milestone(int, int) const override { return max_; }
    std::vector<RungSize> rungs() const override { return {{max_, num_complete_}}; }

  private:
    struct Curve {
        double sum = 0;
        double best = 0;
        std::int64_t num_reports = 0;
    };

    Resource min_;
    Resource max_;
    std::vector<Curve> curves_;         // by trial
    std::map<Resource, Cut> averages_;  // running averages of the trials that reported at each resource
    std::size_t num_complete_ = 0;
};

}  // namespace crescendo
