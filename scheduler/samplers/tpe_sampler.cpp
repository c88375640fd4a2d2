#include "scheduler/samplers/tpe_sampler.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/draws.hpp"

namespace crescendo {
namespace {

constexpr int num_candidates = 24;

/// The fewest results of a rung to learn from.
int enough(const std::vector<Axis>& axes) { return std::max(10, static_cast<int>(axes.size()) + 2); }

/// How many of so many results are good.
int num_good(int num_results) { return std::min((num_results + 9) / 10, 25); }

}  // namespace

TpeSampler::TpeSampler(const SweepSpec& spec)
    : seed_(spec.seed),
      results_(spec),
      axes_(Axis::all_of(spec.space)),
      first_(spec.space, spec.seed),
      tried_(spec.space) {}

std::optional<Proposal> TpeSampler::propose(TrialId trial) {
    const auto* ranking = results_.highest_ranking(enough(axes_));
    if (ranking == nullptr || axes_.empty()) {
        return first_.propose(trial);
    }
    const auto kernels = split(*ranking);
    const Parzen good(axes_, kernels.good);
    const Parzen bad(axes_, kernels.bad);
    auto random = draws(seed_, Purpose::model, trial);
    std::optional<Config> best;
    double best_score = 0;
    for (int i = 0; i < num_candidates; ++i) {
        auto config = results_.space().at(good.sample(random));
        if (!config || tried_.repeats(*config)) {
            continue;
        }
        const auto point = results_.point_of(*config);
        const double score = good.log_density(point) - bad.log_density(point);
        if (!best || score > best_score) {
            best = std::move(config);
            best_score = score;
        }
    }
    const auto origin = ranking->num_own > 0 ? Origin::model : Origin::warm;
    return best ? Proposal{*std::move(best), origin} : first_.propose(trial);
}

/// The newest trials count one by one. Of older ones there are so many that one in several stands for the others: a
/// proposal costs the same however long the sweep is.
TpeSampler::Split TpeSampler::split(const Results::Ranking& ranking) const {
    constexpr int most_new = 128;
    constexpr int most_old = 384;
    Split result;
    std::vector<int> good;
    const auto end_of_good = std::next(ranking.losses.begin(), num_good(ranking.num_finite));
    for (auto each = ranking.losses.begin(); each != end_of_good; ++each) {
        good.push_back(each->trial);
        result.good.push_back({results_.point(each->trial), 1});
    }
    std::sort(good.begin(), good.end());
    const int first_new = std::max(results_.num_trials() - most_new, 0);
    const int stride = std::max((first_new + most_old - 1) / most_old, 1);
    for (int trial = 0; trial < results_.num_trials(); trial += trial < first_new ? stride : 1) {
        const bool is_bad = !std::binary_search(good.begin(), good.end(), trial) &&
                            (results_.is_settled(trial, ranking) || results_.is_pending(trial));
        if (is_bad) {
            result.bad.push_back({results_.point(trial), trial < first_new ? static_cast<double>(stride) : 1.0});
        }
    }
    return result;
}

void TpeSampler::tell(const Trial& trial) {
    results_.tell(trial);
    if (trial.resource.value == 0) {  // later, the configuration is known
        tried_.insert(trial.config);
    }
}

std::unique_ptr<Sampler> TpeSampler::clone() const { return std::make_unique<TpeSampler>(*this); }

}  // namespace crescendo
