#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "scheduler/samplers/evolution.hpp"
#include "scheduler/samplers/results.hpp"
#include "scheduler/samplers/sampler.hpp"
#include "scheduler/samplers/sobol_sampler.hpp"
#include "scheduler/samplers/tried.hpp"
#include "scheduler/sweep_spec.hpp"

namespace crescendo {

/// Proposes points of a distribution that moves towards the best results (Evolution).
///
/// * A generation is complete when enough trials have results, whichever these are: it does not wait for the slowest.
///   The more trials run at once, the larger a generation, so that late results are at most a few generations old.
/// * It learns from the highest rung that enough trials have reached. In a generation, the trials that reached it rank
///   first; those that lost before it come after them. Each trial counts once.
/// * Until a generation is complete whose losses are not all equal, it proposes the points of a Sobol sequence. Results
///   of earlier sweeps (`warm_start`) count as this sweep's own.
/// * When the distribution has converged, another begins at a point of its own with twice the population (Auger and
///   Hansen, "A Restart CMA Evolution Strategy With Increasing Population Size", CEC 2005).
class CmaesSampler : public Sampler {
  public:
    explicit CmaesSampler(const SweepSpec& spec);

    std::optional<Proposal> propose(TrialId trial) override;
    void tell(const Trial& trial) override;
    std::unique_ptr<Sampler> clone() const override;

  private:
    /// How good a trial was. The best compare less: trials that reached the rung, by their losses there, then trials
    /// that lost before it, by how far they trained.
    struct Rank {
        bool is_behind;               ///< the trial lost before the rung
        std::int64_t minus_resource;  ///< 0 unless the trial lost before the rung
        double loss;
        int trial;

        friend auto operator<=>(const Rank&, const Rank&) = default;
    };

    void take_up(const Results::Ranking& ranking);
    void add(Rank rank);
    std::size_t generation_size() const;
    void evolve();

    std::uint64_t seed_;
    Results results_;
    std::vector<Axis> axes_;
    SobolSampler first_;
    Tried tried_;
    int num_earlier_;
    Evolution evolution_;
    std::vector<Rank> generation_;  // the present one, so far
    std::vector<bool> has_counted_;  // by trial
    std::vector<bool> runs_;  // by trial, as last told
    int num_running_ = 0;
    int num_restarts_ = 0;
    int first_trial_ = 0;  // earlier trials belong to a distribution that has converged
    bool has_begun_ = false;
    std::optional<std::size_t> rung_;  // the rung that it learns from
};

}  // namespace crescendo
