#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "scheduler/samplers/model_sampler.hpp"
#include "scheduler/samplers/parzen.hpp"

namespace crescendo {

/// Proposes what is more probable among good trials than among the others: a tree-structured Parzen estimator (Bergstra
/// et al., "Algorithms for Hyper-Parameter Optimization", NIPS 2011) over all parameters at once.
///
/// * It learns from one rung, as BOHB does (Falkner et al., ICML 2018). The best trials of that rung are good. The
///   better of them count more: as in CMA-ES (Hansen, "The CMA Evolution Strategy: A Tutorial", 2016), by the logarithm
///   of the rank. All others that reached the rung are bad. So are trials that lost or are paused before it, and trials
///   about which nothing is known yet, so that it does not propose twice in one place (constant liar).
/// * Every eighth trial is drawn from kernels of three times the width, so that a search can leave the first good
///   place.
/// * If all parameters are numbers, kernels of good trials are narrower than with categorical ones.
/// * A second search begins when 200 trials have results at that rung and the good ones lie close together.
/// * Sweeps of 1,000 trials and more that stop trials early explore instead: every other trial after the 64th does.
///   Most of these stop at the first rung, so they cost little. (BOHB draws a third of its trials at random.)
/// * There is no second search in finite spaces, or with constraints. There, a model may find nothing that is allowed
///   and untried, and replays of sweeps that began before there were second searches repeat such draws.
/// * Each of the first 500 trials has its own model. After that, one model serves a 64th as many trials as there are,
///   so that in a sweep of 100,000 a proposal costs little more than a random one. The model is made when the first of
///   its trials asks, from what was told before, so a replay, which does not ask, makes none. Its best places come
///   first, also for every eighth trial: with wide kernels there, searches found less.
class TpeSampler : public ModelSampler {
  public:
    explicit TpeSampler(const SweepSpec& spec);

    void tell(const Trial& trial) override;
    std::unique_ptr<Sampler> clone() const override;

  private:
    /// The trials that a model is made of, by number.
    struct Split {
        struct Member {
            int trial;
            double weight;
        };
        std::vector<Member> good;  ///< by ascending number
        std::vector<Member> bad;
    };

    struct Candidate {
        std::vector<double> point;
        Config config;
        double score;
    };

    /// A series of proposals from one model: the most promising places, then points around them.
    struct Series {
        Split split;
        int first;                                ///< number of the first trial that may be in the series
        std::size_t num_tried;                    ///< number of configurations that had been tried then
        std::vector<std::vector<double>> places;  ///< empty before the first proposal
        std::optional<Parzen> good;               ///< kernels for points around the places
        std::optional<Parzen> broad;              ///< kernels for every eighth trial
    };

    std::optional<TrialId> explored_by(TrialId trial) const override;
    std::optional<Config> by_model(const Results& results, const Results::Ranking& ranking, TrialId trial) override;
    bool is_second_due(const Results& latest, const Results::Ranking& ranking) const override;

    Split split(const Results& results, const Results::Ranking& ranking) const;
    static std::vector<Parzen::Kernel> kernels_of(const Results& results, const std::vector<Split::Member>& members);
    Parzen good(const Results& results, const Split& split, bool is_broad) const;
    Parzen bad(const Results& results, const Split& split) const;
    /// Omits configurations that were among the first `num_tried` that were tried.
    std::vector<Candidate> best_candidates(const Parzen& good, const Parzen& bad, int count, CounterRandom& random,
                                           std::size_t num_tried) const;
    std::optional<Config> next_of(Series& series, TrialId trial) const;

    bool explores_;  // from some trial on
    std::optional<Series> series_;
    int next_series_;  // number of trials at which the next series begins
};

}  // namespace crescendo
