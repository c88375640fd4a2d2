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
///   of the rank. All others that reached it are bad, and so are those that lost or are paused before it, and those of
///   which nothing is known yet: so it does not propose twice in one place (constant liar).
/// * Every eighth trial is drawn from kernels of thrice the width: a search that stays at the first good place leaves
///   it so.
/// * Where all parameters are numbers, kernels of good trials are narrower than where there are choices.
/// * A second search begins when 200 trials have results at that rung and the good ones lie close together.
/// * In sweeps of 1,000 trials and more that stop trials early, there is another way out: every other trial after the
///   64th explores. BOHB draws a third of its trials at random. Most of them stop at the first rung, so they cost
///   little.
/// * There is no second search where configurations are finitely many, or with constraints. There a model may find
///   nothing that is allowed and untried, and replays of sweeps that began before second searches repeat such draws.
/// * Of the first 500 trials, each has a model of its own. After that a model serves as many as one in 64 trials, so
///   that a proposal costs little more than a random one in a sweep of 100,000. It is made when the first of them asks,
///   of what was told before: so a replay, which does not ask, makes none. Its best places come first, also for every
///   eighth trial: with wide kernels there, searches found less.
class TpeSampler : public ModelSampler {
  public:
    explicit TpeSampler(const SweepSpec& spec);

    void tell(const Trial& trial) override;
    std::unique_ptr<Sampler> clone() const override;

  private:
    /// What a model is made of: the numbers of trials.
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

    /// Proposals in a row from one model: places that promise most, then others around them.
    struct Series {
        Split split;
        int first;                                ///< number of the first trial that may be one of them
        std::size_t num_tried;                    ///< configurations that had been tried then
        std::vector<std::vector<double>> places;  ///< none before the first proposal
        std::optional<Parzen> good;               ///< kernels for others around them
        std::optional<Parzen> broad;              ///< and for every eighth trial
    };

    std::optional<TrialId> explored_by(TrialId trial) const override;
    std::optional<Config> by_model(const Results& results, const Results::Ranking& ranking, TrialId trial) override;
    bool is_second_due(const Results& latest, const Results::Ranking& ranking) const override;

    Split split(const Results& results, const Results::Ranking& ranking) const;
    static std::vector<Parzen::Kernel> kernels_of(const Results& results, const std::vector<Split::Member>& members);
    Parzen good(const Results& results, const Split& split, bool is_broad) const;
    Parzen bad(const Results& results, const Split& split) const;
    /// Without those that were tried when so many had been.
    std::vector<Candidate> best_candidates(const Parzen& good, const Parzen& bad, int count, CounterRandom& random,
                                           std::size_t num_tried) const;
    std::optional<Config> next_of(Series& series, TrialId trial) const;

    bool explores_;  // from some trial on
    std::optional<Series> series_;
    int next_series_;  // the number of trials with which it begins
};

}  // namespace crescendo
