#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/samplers/axis.hpp"
#include "scheduler/samplers/results.hpp"
#include "scheduler/samplers/sampler.hpp"
#include "scheduler/samplers/second_search.hpp"
#include "scheduler/samplers/sobol_sampler.hpp"
#include "scheduler/samplers/tried.hpp"
#include "scheduler/sweep_spec.hpp"

namespace crescendo {

/// Proposes the most promising configuration according to a model of earlier trials.
///
/// * It learns from the highest rung that enough trials have reached. Until there is one, it proposes the points of a
///   Sobol sequence. Results of earlier sweeps (`warm_start`) count as this sweep's own.
/// * Some of the later trials explore: they begin with the points of another Sobol sequence.
/// * When the best trials have gathered in one place, a second search begins (SecondSearch).
class ModelSampler : public Sampler {
  public:
    std::optional<Proposal> propose(TrialId trial) final;
    void tell(const Trial& trial) override;

  protected:
    /// `enough`: the fewest results of a rung to learn from.
    ModelSampler(const SweepSpec& spec, int enough);

    std::uint64_t seed() const { return seed_; }
    const Results& results() const { return results_; }  ///< of all trials
    const SecondSearch& second() const { return second_; }
    const std::vector<Axis>& axes() const { return axes_; }
    const Tried& tried() const { return tried_; }
    int num_earlier() const { return num_earlier_; }  ///< results of earlier sweeps

    /// The ranking, among these results, that the sampler learns from; null if there are too few results.
    const Results::Ranking* ranking_of(const Results& results) const { return results.highest_ranking(enough_); }

  private:
    /// Which point of the exploring sequence, counted from 0, the trial begins with. Nothing if the model chooses.
    virtual std::optional<TrialId> explored_by(TrialId trial) const = 0;

    /// The most promising configuration according to a model of these results. Nothing if the model finds none that is
    /// new and allowed.
    virtual std::optional<Config> by_model(const Results& results, const Results::Ranking& ranking, TrialId trial) = 0;

    /// Whether a second search should begin, or begin anew, now that the latest search has these results.
    virtual bool is_second_due(const Results& latest, const Results::Ranking& ranking) const = 0;

    std::uint64_t seed_;
    Results results_;
    SecondSearch second_;
    std::vector<Axis> axes_;
    SobolSampler first_;
    SobolSampler exploring_;
    Tried tried_;
    int num_earlier_;
    int enough_;
};

}  // namespace crescendo
