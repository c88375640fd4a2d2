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

/// A second search beside a sampler's first one, once the first has gathered in one place: a sweep leaves a local
/// minimum if the second search finds a better one.
///
/// Every other trial belongs to it, from the one with which it begins until trial 500. It knows only the results of its
/// own trials. The first search learns from all trials, so it profits from what the second one finds.
class SecondSearch {
  public:
    static constexpr int end = 500;  ///< from this trial on, no trial belongs to the second search

    explicit SecondSearch(const SweepSpec& spec);

    /// Begins with this trial, and forgets what it knows if it had begun before.
    void begin(TrialId first);
    bool has_begun() const { return first_.has_value(); }

    /// Whether the trial belongs to this search. Such trials have even numbers.
    bool owns(TrialId trial) const;

    /// What a trial of this search begins with while too little is known: a point of a Sobol sequence. The sequence
    /// continues when the search begins anew.
    std::optional<Proposal> first_of(TrialId trial) { return points_.propose(TrialId{(trial.value - origin_) / 2}); }

    /// Takes a trial of this search; other trials change nothing.
    void tell(const Trial& trial);

    /// Results of this search's trials since it began. Without earlier sweeps, whose results would lead it to where the
    /// first search looks.
    const Results& results() const { return results_; }

  private:
    Results none_;
    Results results_;
    std::optional<TrialId> first_;  ///< none: it has not begun
    std::int32_t origin_ = 0;       ///< the trial with which it began for the first time
    SobolSampler points_;
};

/// The parameters by which spread_of_best() measures distances.
enum class SpreadBy { numbers, continuous_numbers };

/// How far the `count` best trials of a rung lie from each other: the geometric mean of the standard deviations of the
/// parameters of this kind, each of which ranges from 0 to 1. It is a geometric mean because some parameters may make
/// no difference. Infinite if there are no such parameters. With `SpreadBy::numbers`, trials that share the value of a
/// discrete number are close, however far apart they are otherwise.
double spread_of_best(const Results& results, const Results::Ranking& ranking, const std::vector<Axis>& axes,
                      std::size_t count, SpreadBy by);

}  // namespace crescendo
