#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/samplers/parzen.hpp"
#include "scheduler/samplers/results.hpp"
#include "scheduler/samplers/sampler.hpp"
#include "scheduler/samplers/second_search.hpp"
#include "scheduler/samplers/sobol_sampler.hpp"
#include "scheduler/samplers/tried.hpp"
#include "scheduler/sweep_spec.hpp"

namespace crescendo {

/// Proposes what is more probable among good trials than among the others: a tree-structured Parzen estimator (Bergstra
/// et al., "Algorithms for Hyper-Parameter Optimization", NIPS 2011) over all parameters at once.
///
/// * It learns from the highest rung that enough trials have reached, as BOHB does (Falkner et al., ICML 2018). Until
///   there is one, it proposes the points of a Sobol sequence.
/// * Results of earlier sweeps (`warm_start`) count as this sweep's own.
/// * The best trials of that rung are good. The better of them count more: as in CMA-ES (Hansen, "The CMA Evolution
///   Strategy: A Tutorial", 2016), by the logarithm of the rank. All others that reached it are bad, and so are those
///   that lost or are paused before it, and those of which nothing is known yet: so it does not propose twice in one
///   place (constant liar).
/// * Every eighth trial is drawn from kernels of thrice the width: a search that stays at the first good place leaves
///   it so.
/// * Where all parameters are numbers, kernels of good trials are narrower than where there are choices.
/// * When 200 trials have results at that rung and the good ones lie close together, a second search begins
///   (SecondSearch).
/// * In sweeps of 1,000 trials and more that stop trials early, there is another way out: every other trial after the
///   64th is the next point of another Sobol sequence. BOHB draws a third of its trials so. Most of them stop at the
///   first rung, so they cost little.
/// * There is no second search where configurations are finitely many, or with constraints. There a model may find
///   nothing that is allowed and untried, and replays of sweeps that began before second searches repeat such draws.
/// * Of the first 500 trials, each has a model of its own. After that a model serves as many as one in 64 trials, so
///   that a proposal costs little more than a random one in a sweep of 100,000. It is made when the first of them asks,
///   of what was told before: so a replay, which does not ask, makes none. Its best places come first, also for every
///   eighth trial: with wide kernels there, searches found less.
class TpeSampler : public Sampler {
  public:
    explicit TpeSampler(const SweepSpec& spec);

    std::optional<Proposal> propose(TrialId trial) override;
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

    bool explores(TrialId trial) const;
    bool is_second_due() const;

    Split split(const Results& results, const Results::Ranking& ranking) const;
    static std::vector<Parzen::Kernel> kernels_of(const Results& results, const std::vector<Split::Member>& members);
    Parzen good(const Results& results, const Split& split, bool is_broad) const;
    Parzen bad(const Results& results, const Split& split) const;
    /// Without those that were tried when so many had been.
    std::vector<Candidate> best_candidates(const Parzen& good, const Parzen& bad, int count, CounterRandom& random,
                                           std::size_t num_tried) const;
    std::optional<Config> next_of(Series& series, TrialId trial) const;

    std::uint64_t seed_;
    bool explores_;  ///< from some trial on
    Results results_;
    SecondSearch second_;
    std::vector<Axis> axes_;
    SobolSampler first_;
    SobolSampler exploring_;
    Tried tried_;
    int num_earlier_;
    std::optional<Series> series_;
    int next_series_;  // the number of trials with which it begins
};

}  // namespace crescendo
