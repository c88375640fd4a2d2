#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "scheduler/samplers/gaussian_process.hpp"
#include "scheduler/samplers/model_sampler.hpp"

namespace crescendo {

/// Logarithm of the expected improvement of a normal variable below `best`. Also exact if the improvement itself would
/// underflow (Ament et al., "Unexpected Improvements to Expected Improvement", NeurIPS 2023).
double log_expected_improvement(GaussianProcess::Normal belief, double best);

/// Derivatives of log_expected_improvement() with respect to the belief's mean and deviation.
struct ImprovementSlope {
    double by_mean;
    double by_deviation;
};
ImprovementSlope slope_of_log_improvement(GaussianProcess::Normal belief, double best);

/// Proposes the configuration for which a Gaussian process expects the most improvement.
///
/// * Every eighth trial explores, so that a wrong model learns from elsewhere.
/// * A trial that lost before the rung that the sampler learns from counts as the worst one there. So does a trial that
///   is paused before it, until it is promoted. For running trials, the model's prediction counts, so that the sampler
///   does not propose twice in one place. It never proposes a point at which a trial of this sweep began.
/// * Losses above the median count only by rank, so that bad trials do not hide how good ones differ.
/// * A second search begins when 100 trials have results at that rung and the best lie close together. It begins anew
///   whenever 50 of its own have gathered too.
/// * A model has at most 500 results, the best and the newest, and at most 600 points with the running trials. So a
///   proposal takes a tenth of a second, however long the sweep is. Proposals are events, so a replay does not compute
///   them again.
class GpSampler : public ModelSampler {
  public:
    explicit GpSampler(const SweepSpec& spec);

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

    std::optional<TrialId> explored_by(TrialId trial) const override;
    std::optional<Config> by_model(const Results& results, const Results::Ranking& ranking, TrialId trial) override;
    bool is_second_due(const Results& latest, const Results::Ranking& ranking) const override;

    static Seen seen(const Results& results, const Results::Ranking& ranking);
};

}  // namespace crescendo
