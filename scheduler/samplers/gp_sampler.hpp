#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/samplers/gaussian_process.hpp"
#include "scheduler/samplers/results.hpp"
#include "scheduler/samplers/sampler.hpp"
#include "scheduler/samplers/second_search.hpp"
#include "scheduler/samplers/sobol_sampler.hpp"
#include "scheduler/samplers/tried.hpp"
#include "scheduler/sweep_spec.hpp"

namespace crescendo {

/// Logarithm of the improvement that is expected of a normal variable below `best`, exact where the improvement itself
/// would underflow (Ament et al., "Unexpected Improvements to Expected Improvement", NeurIPS 2023).
double log_expected_improvement(GaussianProcess::Normal belief, double best);

/// Proposes where a Gaussian process expects most improvement.
///
/// * It learns from the highest rung that enough trials have reached. Until there is one, it proposes the points of a
///   Sobol sequence, and later at every eighth trial: a model that is wrong learns so elsewhere. Results of earlier
///   sweeps (`warm_start`) count as this sweep's own.
/// * A trial that lost before that rung counts as its worst one, and so does one that is paused before it, until it is
///   promoted. Of trials that run, it expects what the model predicts: so it does not propose twice in one place.
/// * Of losses above the median only the ranks count, so that bad trials do not hide how good ones differ.
/// * When 100 trials have results at that rung and the best lie close together, a second search begins (SecondSearch).
///   It begins anew whenever 50 of its own have gathered as well.
/// * A model has at most 500 results, the best and the newest: a proposal takes a tenth of a second however long the
///   sweep is. Proposals are events, so a replay does not compute them again.
class GpSampler : public Sampler {
  public:
    explicit GpSampler(const SweepSpec& spec);

    std::optional<Proposal> propose(TrialId trial) override;
    void tell(const Trial& trial) override;
    bool proposes_by_events() const override { return true; }
    std::unique_ptr<Sampler> clone() const override;

  private:
    /// What the model is made of.
    struct Seen {
        GaussianProcess::Points points;
        std::vector<double> losses;  ///< standardized
        GaussianProcess::Points pending;
    };
    class Search;

    bool is_second_due() const;
    Seen seen(const Results& results, const Results::Ranking& ranking) const;

    std::uint64_t seed_;
    Results results_;
    SecondSearch second_;
    std::vector<Axis> axes_;
    SobolSampler first_;
    SobolSampler exploring_;  // for every eighth trial, once there is a model
    Tried tried_;
    int num_earlier_;
};

}  // namespace crescendo
