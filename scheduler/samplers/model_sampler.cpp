#include "scheduler/samplers/model_sampler.hpp"

#include <utility>

namespace crescendo {

ModelSampler::ModelSampler(const SweepSpec& spec, int enough)
    : seed_(spec.seed),
      results_(spec),
      second_(spec),
      axes_(Axis::all_of(spec.space)),
      first_(spec.space, spec.seed),
      exploring_(SobolSampler::further(spec.space, spec.seed, 0)),
      tried_(spec.space),
      num_earlier_(results_.num_trials()),
      enough_(enough) {}

std::optional<Proposal> ModelSampler::propose(TrialId trial) {
    const bool is_second = second_.owns(trial);
    const auto& results = is_second ? second_.results() : results_;
    const auto* ranking = ranking_of(results);
    if (ranking == nullptr || axes_.empty()) {
        return is_second ? second_.first_of(trial) : first_.propose(trial);
    }
    if (const auto point = explored_by(trial)) {
        return exploring_.propose(*point);
    }
    auto config = by_model(results, *ranking, trial);
    const auto origin = ranking->num_own > 0 ? Origin::model : Origin::warm;
    return config ? Proposal{*std::move(config), origin} : first_.propose(trial);
}

void ModelSampler::tell(const Trial& trial) {
    results_.tell(trial);
    second_.tell(trial);
    tried_.tell(trial);
    const int num_own = results_.num_trials() - num_earlier_;
    const auto& latest = second_.has_begun() ? second_.results() : results_;
    const auto* ranking = num_own < SecondSearch::end ? ranking_of(latest) : nullptr;
    if (ranking != nullptr && is_second_due(latest, *ranking)) {
        second_.begin(TrialId{num_own});
    }
}

}  // namespace crescendo
