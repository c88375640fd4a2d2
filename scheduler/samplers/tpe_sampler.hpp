#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/samplers/parzen.hpp"
#include "scheduler/samplers/results.hpp"
#include "scheduler/samplers/sampler.hpp"
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
/// * The best trials of that rung are good. All others that reached it are bad, and so are those that lost before it,
///   and those of which nothing is known yet: so it does not propose twice in one place (constant liar).
class TpeSampler : public Sampler {
  public:
    explicit TpeSampler(const SweepSpec& spec);

    std::optional<Proposal> propose(TrialId trial) override;
    void tell(const Trial& trial) override;
    std::unique_ptr<Sampler> clone() const override;

  private:
    struct Split {
        std::vector<Parzen::Kernel> good;
        std::vector<Parzen::Kernel> bad;
    };

    Split split(const Results::Ranking& ranking) const;

    std::uint64_t seed_;
    Results results_;
    std::vector<Axis> axes_;
    SobolSampler first_;
    Tried tried_;
};

}  // namespace crescendo
