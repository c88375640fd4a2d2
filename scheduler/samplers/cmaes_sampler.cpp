#include "scheduler/samplers/cmaes_sampler.hpp"

#include <algorithm>
#include <utility>

#include "core/draws.hpp"
#include "scheduler/loss.hpp"

namespace crescendo {
namespace {

constexpr int most_attempts = 24;

std::vector<double> middle_of(std::size_t num_axes) { return std::vector<double>(num_axes, 0.5); }

int usual_population(const std::vector<Axis>& axes) { return std::max(Evolution::usual_population(axes.size()), 10); }

}  // namespace

CmaesSampler::CmaesSampler(const SweepSpec& spec)
    : seed_(spec.seed),
      results_(spec),
      axes_(Axis::all_of(spec.space)),
      first_(spec.space, spec.seed),
      tried_(spec.space),
      num_earlier_(static_cast<int>(spec.warm_start.size())),
      evolution_(axes_, middle_of(axes_.size()), usual_population(axes_)),
      has_counted_(spec.warm_start.size(), false),
      runs_(spec.warm_start.size(), false) {
    if (const auto* ranking = results_.highest_ranking(usual_population(axes_))) {
        take_up(*ranking);
    }
}

std::optional<Proposal> CmaesSampler::propose(TrialId trial) {
    if (!has_begun_) {
        return first_.propose(trial);
    }
    auto random = draws(seed_, Purpose::model, trial);
    for (int i = 0; i < most_attempts; ++i) {
        auto config = results_.space().at(evolution_.sample(random));
        if (config && !tried_.repeats(*config)) {
            const auto* ranking = results_.highest_ranking(1);
            const bool is_own = ranking == nullptr || ranking->num_own > 0;
            return Proposal{*std::move(config), is_own ? Origin::model : Origin::warm};
        }
    }
    return first_.propose(trial);
}

void CmaesSampler::tell(const Trial& trial) {
    results_.tell(trial);
    tried_.tell(trial);
    const auto index = static_cast<std::size_t>(num_earlier_ + trial.id.value);
    has_counted_.resize(std::max(has_counted_.size(), index + 1), false);
    runs_.resize(std::max(runs_.size(), index + 1), false);
    const bool runs = trial.status == TrialStatus::running;
    num_running_ += static_cast<int>(runs) - static_cast<int>(runs_[index]);
    runs_[index] = runs;

    const auto* ranking = results_.highest_ranking(usual_population(axes_));
    if (ranking == nullptr) {
        return;
    }
    if (rung_ != ranking->rung) {
        take_up(*ranking);
    } else if (const int number = static_cast<int>(index); results_.is_settled(number, *ranking)) {
        const bool is_behind = !results_.has_reached(number, *ranking);
        add({is_behind, is_behind ? -trial.resource.value : 0, trial.loss.value_or(worst_loss), number});
    }
    evolve();
}

/// Learns from another rung from now on: all trials that count there are added, unless an earlier generation had them.
/// The present generation starts over, because it ranked its trials by the old rung.
void CmaesSampler::take_up(const Results::Ranking& ranking) {
    rung_ = ranking.rung;
    for (const auto& rank : generation_) {
        has_counted_[static_cast<std::size_t>(rank.trial)] = false;
    }
    generation_.clear();
    for (const auto& [loss, trial] : ranking.losses) {
        add({false, 0, loss, trial});
    }
    for (int trial = 0; trial < results_.num_trials(); ++trial) {
        if (results_.is_settled(trial, ranking)) {
            add({true, 0, worst_loss, trial});
        }
    }
    evolve();
}

void CmaesSampler::add(Rank rank) {
    if (const auto counted = has_counted_[static_cast<std::size_t>(rank.trial)];
        !counted && rank.trial >= first_trial_) {
        has_counted_[static_cast<std::size_t>(rank.trial)] = true;
        generation_.push_back(rank);
    }
}

std::size_t CmaesSampler::generation_size() const {
    return static_cast<std::size_t>(std::max(evolution_.population(), num_running_ / 2));
}

void CmaesSampler::evolve() {
    if (generation_.size() < generation_size()) {
        return;
    }
    const auto is_as_good = [&](const Rank& rank) { return rank.loss == generation_.front().loss; };
    if (!has_begun_ && std::ranges::all_of(generation_, is_as_good)) {
        generation_.clear();  // all losses are equal: it shows only which trials came first
        return;
    }
    std::ranges::sort(generation_);
    generation_.resize(std::max(generation_size(), generation_.size() / 4));  // earlier sweeps may be many at once
    std::vector<Evolution::Point> ranked;
    for (const auto& rank : generation_) {
        const auto point = results_.point(rank.trial);
        ranked.emplace_back(point.begin(), point.end());
    }
    generation_.clear();
    evolution_.update(ranked);
    has_begun_ = true;
    if (evolution_.has_converged()) {
        ++num_restarts_;
        first_trial_ = results_.num_trials();
        auto random = draws(seed_, Purpose::model, TrialId{first_trial_}, num_restarts_);
        std::vector<double> begin(axes_.size());
        std::ranges::generate(begin, [&] { return random.uniform(); });
        evolution_ = Evolution(axes_, begin, 2 * evolution_.population());
    }
}

std::unique_ptr<Sampler> CmaesSampler::clone() const { return std::make_unique<CmaesSampler>(*this); }

}  // namespace crescendo
