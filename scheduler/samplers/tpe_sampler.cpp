#include "scheduler/samplers/tpe_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/draws.hpp"

namespace crescendo {
namespace {

constexpr int num_candidates = 24;

/// If a model serves several proposals: the number of candidates, and how many of the best are kept.
constexpr int num_candidates_of_series = 48;
constexpr std::size_t num_places = 12;

/// The density of bad trials is always smooth.
constexpr Parzen::Smoothing smooth{.prior_weight = 3, .least_width = 0.7};
constexpr Parzen::Smoothing sharp{.prior_weight = 1, .least_width = 0.5};

/// Only wide kernels leave a category that looked best early. If all parameters are numbers, narrow kernels lose
/// nothing, and find minima more exactly (benchmarks/samplers).
Parzen::Smoothing smoothing_of_good(const std::vector<Axis>& axes) {
    return std::ranges::any_of(axes, &Axis::is_categorical) ? smooth : sharp;
}

/// Breadth of the kernels from which every eighth trial is drawn.
constexpr double great_breadth = 3;
bool is_broad(TrialId trial) { return trial.value % 8 == 7; }

/// Exploring pays in sweeps of at least `fewest_to_explore` trials, from trial `first_to_explore` on. In smaller sweeps
/// it costs more than it finds.
constexpr int fewest_to_explore = 1000;
constexpr int first_to_explore = 64;

/// Number of trials that have a model of their own.
constexpr int most_alone = 500;

/// The fewest results before a second search: the first one must have learned, and the second needs time of its own.
constexpr int fewest_before_second = 200;

/// The n good trials have gathered if they deviate by less than this share of 1 / (1 + n): kernels are never narrower
/// than half of 1 / (1 + n).
constexpr double gathered = 0.3;

/// The fewest results of a rung to learn from.
int enough(const SearchSpace& space) { return std::max(10, static_cast<int>(Axis::all_of(space).size()) + 2); }

/// How many of `num_results` results are good.
int num_good(int num_results) { return std::min((num_results + 9) / 10, 25); }

/// Weights of `count` trials, best first. Their mean is 1, so that the prior counts as it does with equal weights.
std::vector<double> weights_by_rank(int count) {
    std::vector<double> weights;
    double sum = 0;
    for (int rank = 1; rank <= count; ++rank) {
        weights.push_back(std::log(count + 0.5) - std::log(rank));
        sum += weights.back();
    }
    for (double& weight : weights) {
        weight *= count / sum;
    }
    return weights;
}

}  // namespace

TpeSampler::TpeSampler(const SweepSpec& spec)
    : ModelSampler(spec, enough(spec.space)),
      explores_(spec.run_cap.value_or(fewest_to_explore) >= fewest_to_explore &&
                Results::milestones_of(spec.scheduler).size() > 1),
      next_series_(num_earlier() + most_alone) {}

/// Trials that explore have even numbers, so none of them is broad.
std::optional<TrialId> TpeSampler::explored_by(TrialId trial) const {
    const int number = trial.value - first_to_explore;
    return explores_ && number >= 0 && number % 2 == 0 ? std::optional(TrialId{number / 2}) : std::nullopt;
}

std::optional<Config> TpeSampler::by_model(const Results& results, const Results::Ranking& ranking, TrialId trial) {
    if (series_) {
        return next_of(*series_, trial);
    }
    const auto model = split(results, ranking);
    auto random = draws(seed(), Purpose::model, trial);
    auto candidates = best_candidates(good(results, model, is_broad(trial)), bad(results, model), num_candidates,
                                      random, tried().size());
    return candidates.empty() ? std::nullopt : std::optional(std::move(candidates.front().config));
}

std::vector<TpeSampler::Candidate> TpeSampler::best_candidates(const Parzen& good, const Parzen& bad, int count,
                                                               CounterRandom& random, std::size_t num_tried) const {
    std::vector<Candidate> candidates;
    for (int i = 0; i < count; ++i) {
        auto drawn = good.sample(random);
        auto config = results().space().at(drawn);
        if (config && !tried().repeats(*config, num_tried)) {
            const auto point = results().point_of(*config);
            candidates.push_back(
                {std::move(drawn), *std::move(config), good.log_density(point) - bad.log_density(point)});
        }
    }
    std::ranges::stable_sort(candidates, std::greater<>(), &Candidate::score);
    return candidates;
}

std::optional<Config> TpeSampler::next_of(Series& series, TrialId trial) const {
    if (!series.good) {
        series.good = good(results(), series.split, /*is_broad=*/false);
        series.broad = good(results(), series.split, /*is_broad=*/true);
        auto random = draws(seed(), Purpose::model, TrialId{series.first}, /*step=*/0);
        auto candidates = best_candidates(*series.good, bad(results(), series.split), num_candidates_of_series, random,
                                          series.num_tried);
        for (std::size_t i = 0; i < std::min(candidates.size(), num_places); ++i) {
            series.places.push_back(std::move(candidates[i].point));
        }
    }
    auto random = draws(seed(), Purpose::model, trial);
    // Trials that explore take no places.
    const auto place = static_cast<std::size_t>((num_earlier() + trial.value - series.first) / (explores_ ? 2 : 1));
    for (int i = 0; i < num_candidates && !series.places.empty(); ++i) {
        const auto& center = series.places[place % series.places.size()];
        const bool is_itself = i == 0 && place < series.places.size();
        const auto& kernels = is_broad(trial) ? *series.broad : *series.good;
        auto config = results().space().at(is_itself ? center : kernels.sample_around(center, random));
        if (config && !tried().repeats(*config)) {
            return config;
        }
    }
    return {};
}

/// The newest trials count one by one. Of the older ones, every `stride`-th stands for the others, so that a model
/// costs the same however long the sweep is.
TpeSampler::Split TpeSampler::split(const Results& results, const Results::Ranking& ranking) const {
    constexpr int most_new = 128;
    constexpr int most_old = 384;
    Split result;
    const auto weights = weights_by_rank(num_good(ranking.num_finite));
    for (std::size_t rank = 0; rank < weights.size(); ++rank) {
        result.good.push_back({ranking.best[rank].trial, weights[rank]});
    }
    std::ranges::sort(result.good, {}, &Split::Member::trial);
    const int first_new = std::max(results.num_trials() - most_new, 0);
    // The stride is odd: an even one could pick only trials that explore, or only those of the second search.
    const int stride = std::max((first_new + most_old - 1) / most_old, 1) | 1;
    const auto next = [&](int trial) { return trial < first_new ? std::min(trial + stride, first_new) : trial + 1; };
    for (int trial = 0; trial < results.num_trials(); trial = next(trial)) {
        const bool is_bad = !std::ranges::binary_search(result.good, trial, {}, &Split::Member::trial) &&
                            (results.is_settled_so_far(trial, ranking) || results.is_pending(trial));
        if (is_bad) {
            result.bad.push_back({trial, trial < first_new ? static_cast<double>(stride) : 1.0});
        }
    }
    return result;
}

std::vector<Parzen::Kernel> TpeSampler::kernels_of(const Results& results, const std::vector<Split::Member>& members) {
    std::vector<Parzen::Kernel> kernels;
    for (const auto& [trial, weight] : members) {
        kernels.push_back({results.point(trial), weight});
    }
    return kernels;
}

Parzen TpeSampler::good(const Results& results, const Split& split, bool is_broad) const {
    auto smoothing = smoothing_of_good(axes());
    smoothing.breadth = is_broad ? great_breadth : 1;
    return {axes(), kernels_of(results, split.good), smoothing};
}

Parzen TpeSampler::bad(const Results& results, const Split& split) const {
    return {axes(), kernels_of(results, split.bad), smooth};
}

bool TpeSampler::is_second_due(const Results& latest, const Results::Ranking& ranking) const {
    const auto is_continuous = [](const Axis& axis) { return !axis.is_discrete(); };
    if (explores_ || second().has_begun() || std::ranges::none_of(axes(), is_continuous) ||
        !latest.space().rules().constraints().empty() ||
        std::min(ranking.num_own, ranking.num_finite) < fewest_before_second) {
        return false;
    }
    const auto count = static_cast<std::size_t>(num_good(ranking.num_finite));
    const double spread = spread_of_best(latest, ranking, axes(), count, SpreadBy::continuous_numbers);
    return spread * (1 + static_cast<double>(count)) < gathered;
}

void TpeSampler::tell(const Trial& trial) {
    ModelSampler::tell(trial);
    if (const int num_trials = results().num_trials(); num_trials >= next_series_) {
        if (const auto* ranking = ranking_of(results())) {
            series_ = Series{split(results(), *ranking), num_trials, tried().size(), {}, {}, {}};
            next_series_ = num_trials + std::max(num_trials / 64, 1);
        }
    }
}

std::unique_ptr<Sampler> TpeSampler::clone() const { return std::make_unique<TpeSampler>(*this); }

}  // namespace crescendo
