#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/samplers/axis.hpp"
#include "scheduler/samplers/results.hpp"
#include "scheduler/samplers/sobol_sampler.hpp"
#include "scheduler/sweep_spec.hpp"
#include "scheduler/trial.hpp"

namespace crescendo {

/// A search that begins anew beside a sampler's first one, once that has gathered in one place: so a sweep leaves a
/// local minimum if the second search finds a better one.
///
/// Every other trial is its own, from the one with which it begins until trial 500. It knows what its own trials have
/// told, and nothing else. The first search learns from all trials, so it takes up what the second one finds.
class SecondSearch {
  public:
    static constexpr int end = 500;  ///< the first trial that is none of its own

    explicit SecondSearch(const SweepSpec& spec);

    /// Begins with this trial, and forgets what it knows if it had begun before.
    void begin(TrialId first);
    bool has_begun() const { return first_.has_value(); }

    /// Whether the trial is one of its own. These have even numbers.
    bool owns(TrialId trial) const;

    /// What its own trial begins with while it knows too little: a point of a Sobol sequence, which goes on where it
    /// begins anew.
    std::optional<Proposal> first_of(TrialId trial) { return points_.propose(TrialId{(trial.value - origin_) / 2}); }

    /// Takes a trial of its own; others change nothing.
    void tell(const Trial& trial);

    /// Of its own trials since it began. Those of earlier sweeps say where the first search would look.
    const Results& results() const { return results_; }

  private:
    Results none_;
    Results results_;
    std::optional<TrialId> first_;  ///< none: it has not begun
    std::int32_t origin_ = 0;       ///< the trial with which it began for the first time
    SobolSampler points_;
};

/// The parameters by which trials are far from each other.
enum class SpreadBy { numbers, continuous_numbers };

/// How far the `count` best trials of a rung lie from each other: the standard deviation of a parameter, in a space in
/// which each goes from 0 to 1, as the geometric mean over those of the kind, because some of them may make no
/// difference. Infinite where there are none. If the best share the value of a discrete number, they are close by
/// `numbers`, however far apart they are otherwise.
double spread_of_best(const Results& results, const Results::Ranking& ranking, const std::vector<Axis>& axes,
                      std::size_t count, SpreadBy by);

}  // namespace crescendo
