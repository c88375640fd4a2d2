#include "scheduler/samplers/gp_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include "core/draws.hpp"
#include "scheduler/loss.hpp"
#include "scheduler/samplers/ascent.hpp"
#include "scheduler/space/quantiles.hpp"

namespace crescendo {
namespace {

/// The fewest results of a rung to learn from.
int enough(const SearchSpace& space) { return std::clamp(static_cast<int>(Axis::all_of(space).size()) + 2, 10, 20); }

constexpr std::size_t most_results = 500;   // of a model
constexpr std::size_t most_pending = 300;
constexpr std::size_t most_points = 600;    // results and running trials together: they set the cost of a proposal
constexpr std::size_t most_to_fit = 80;     // results from which the settings of a model are fitted

/// The fewest results of the first search before a second one begins, and of the second before it begins anew.
constexpr int fewest_of_first = 100;
constexpr int fewest_of_second = 50;

/// A search's best trials have gathered if the best `num_compared` deviate by less than this share of a parameter's
/// range. Trials that share the value of a discrete number may share a wrong one, so they count as gathered
/// (benchmarks/samplers).
constexpr std::size_t num_compared = 10;
constexpr double close_together = 0.01;

/// The point with random values for absent coordinates, because a search that changes the point may need them.
std::vector<double> whole(Results::Point point, CounterRandom& random) {
    std::vector<double> result(point.begin(), point.end());
    for (double& each : result) {
        each = each < 0 ? random.uniform() : each;
    }
    return result;
}

/// Half-rank warping (Song et al., "The Vizier Gaussian Process Bandit Algorithm", 2024): losses up to the median keep
/// their distances. Each worse loss becomes the quantile of its rank in a normal distribution around the median that is
/// as wide as the better half, so trainings that diverge or learn nothing do not hide how good ones differ. Equal
/// losses share a rank. Infinite losses count like the worst finite one; there must be at least one finite loss.
std::vector<double> half_ranked(std::vector<double> losses) {
    std::vector<double> distinct;
    std::ranges::copy_if(losses, std::back_inserter(distinct), [](double loss) { return loss < worst_loss; });
    std::ranges::sort(distinct);
    const double median = distinct[(distinct.size() - 1) / 2];
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    const double range = median / 2 - distinct.front() / 2;  // halves, so that no difference overflows
    const auto kept = [&](double loss) { return range > 0 ? (loss / 2 - median / 2) / range : 0; };  // in [-1, 0]

    const auto worse = std::ranges::upper_bound(distinct, median);
    double squares = 0;
    for (auto better = distinct.begin(); better != worse; ++better) {
        squares += kept(*better) * kept(*better);
    }
    const double width = range > 0 ? std::sqrt(squares / static_cast<double>(worse - distinct.begin())) : 1;
    for (double& loss : losses) {
        loss = std::min(loss, distinct.back());
        if (loss <= median) {
            loss = kept(loss);
            continue;
        }
        const auto rank = std::lower_bound(worse, distinct.end(), loss) - worse;
        const double share = (static_cast<double>(rank) + 0.5) / static_cast<double>(distinct.end() - worse);
        loss = width * normal_quantile(0.5 + share / 2);
    }
    return losses;
}

/// The values, shifted and scaled to mean 0 and variance 1.
std::vector<double> standardized(std::vector<double> values) {
    double sum = 0;
    double squares = 0;
    for (const double value : values) {
        sum += value;
        squares += value * value;
    }
    const auto n = static_cast<double>(values.size());
    const double deviation = std::sqrt(std::max(squares / n - sum / n * (sum / n), 1e-12));
    for (double& value : values) {
        value = (value - sum / n) / deviation;
    }
    return values;
}

/// Indices of at most `most` values, which may be in any order: a third of them are the best values, and the rest are
/// spread evenly over the others.
std::vector<std::size_t> representatives(const std::vector<double>& values, std::size_t most) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (order.size() <= most) {
        return order;
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
    const std::size_t num_best = most / 3;
    std::vector<std::size_t> chosen(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(num_best));
    const std::size_t num_others = most - num_best;
    for (std::size_t i = 0; i < num_others; ++i) {
        chosen.push_back(order[num_best + i * (order.size() - num_best) / num_others]);
    }
    return chosen;
}

GaussianProcess::Settings fit_to(const std::vector<Axis>& axes, const GaussianProcess::Points& points,
                                 const std::vector<double>& losses) {
    GaussianProcess::Points some_points;
    std::vector<double> some_losses;
    for (const auto i : representatives(losses, most_to_fit)) {
        const auto first = points.begin() + static_cast<std::ptrdiff_t>(i * axes.size());
        some_points.insert(some_points.end(), first, first + static_cast<std::ptrdiff_t>(axes.size()));
        some_losses.push_back(losses[i]);
    }
    return GaussianProcess::fit(axes, some_points, some_losses);
}

/// Logarithm of the density of a standard normal variable.
double log_density(double z) { return -0.5 * z * z - log_root_of_two_pi; }

}  // namespace

double log_expected_improvement(GaussianProcess::Normal belief, double best) {
    const double z = (best - belief.mean) / belief.deviation;
    if (z > -5) {
        return std::log(belief.deviation) + std::log(std::exp(log_density(z)) + z * normal_probability(z));
    }
    // 1/z² (1 - 3/z² + 15/z⁴ - 105/z⁶ + …) of the density
    const double w = 1 / (z * z);
    const double series = 1 - 3 * w * (1 - 5 * w * (1 - 7 * w));
    return std::log(belief.deviation) + log_density(z) + std::log(w) + std::log(series);
}

ImprovementSlope slope_of_log_improvement(GaussianProcess::Normal belief, double best) {
    const double z = (best - belief.mean) / belief.deviation;
    const double log_improvement = log_expected_improvement(belief, best);
    const double by_deviation = std::exp(log_density(z) - log_improvement);
    if (z > -5) {
        return {-normal_probability(z) / std::exp(log_improvement), by_deviation};
    }
    return {(by_deviation - 1 / belief.deviation) / z, by_deviation};
}

/// Searches for the configuration that promises the most improvement: at random points and around the best ones seen,
/// then around the most promising of these, and finally uphill from the best of all.
class GpSampler::Search {
  public:
    Search(const GpSampler& sampler, const Seen& seen, TrialId trial)
        : sampler_(sampler),
          random_(draws(sampler.seed(), Purpose::model, trial)),
          model_(sampler.axes(), seen.points, seen.losses, seen.pending,
                 fit_to(sampler.axes(), seen.points, seen.losses)) {
        best_ = model_.mean_at(0);
        for (std::size_t i = 1; i < seen.losses.size(); ++i) {
            best_ = std::min(best_, model_.mean_at(i));
        }
        for (std::size_t i = 0; i < seen.pending.size(); i += sampler.axes().size()) {
            best_ = std::min(best_, model_.at(std::span(seen.pending).subspan(i, sampler.axes().size())).mean);
        }
    }

    std::optional<Config> run(const std::vector<Results::Point>& best_seen) {
        for (int i = 0; i < num_random; ++i) {
            std::vector<double> point(sampler_.axes().size());
            std::ranges::generate(point, [&] { return random_.uniform(); });
            consider(std::move(point));
        }
        for (const auto& point : best_seen) {
            for (int i = 0; i < num_around; ++i) {
                consider(beside(whole(point, random_), 0.1));
            }
        }
        std::ranges::stable_sort(found_, std::greater<>(), &Found::score);
        const auto num_starts = std::min<std::size_t>(found_.size(), 4);
        if (num_starts == 0) {
            return {};
        }
        const std::span starts(found_.data(), num_starts);
        for (auto& start : starts) {
            climb(start, 0.1);
        }
        auto& most = *std::ranges::max_element(starts, {}, &Found::score);
        climb(most, 0.1 / 64);
        follow_slope(most);
        return most.config;
    }

  private:
    static constexpr int num_random = 200;
    static constexpr int num_around = 20;

    struct Found {
        std::vector<double> point;
        Config config;
        double score = 0;
    };

    std::optional<Found> look_at(std::vector<double> point) const {
        auto config = sampler_.results().space().at(point);
        if (!config || sampler_.tried().repeats(*config)) {
            return {};
        }
        const auto its_point = sampler_.results().point_of(*config);
        if (has_begun_at(its_point)) {
            return {};
        }
        const double score = log_expected_improvement(model_.at(its_point), best_);
        return Found{std::move(point), *std::move(config), score};
    }

    /// Whether a trial of this sweep began at this point, in an infinite space; Tried covers finite ones. Steps that
    /// change nothing, or only an absent parameter, lead to such points.
    bool has_begun_at(const std::vector<double>& point) const {
        const auto& results = sampler_.results();
        if (sampler_.tried().is_finite()) {
            return false;
        }
        for (int trial = sampler_.num_earlier(); trial < results.num_trials(); ++trial) {
            if (std::ranges::equal(results.point(trial), point)) {
                return true;
            }
        }
        return false;
    }

    /// Moves to better points nearby, in ever shorter steps: the last are a 64th of the first.
    void climb(Found& found, double width) {
        for (int i = 0; i < 50; ++i, width *= 0.92) {
            take_if_better(found, beside(found.point, width));
        }
    }

    void take_if_better(Found& found, std::vector<double> point) {
        if (auto other = look_at(std::move(point)); other && other->score > found.score) {
            found = *std::move(other);
        }
    }

    /// Ascends along all continuous numbers at once, by at most a tenth of their range: farther away the model knows
    /// little, and searches got worse. Choices and discrete numbers stay the same.
    void follow_slope(Found& found) {
        constexpr double farthest = 0.1;
        const auto start = sampler_.results().point_of(found.config);
        Box box{start, start};
        for (std::size_t axis = 0; axis < start.size(); ++axis) {
            if (!sampler_.axes()[axis].is_discrete() && start[axis] >= 0) {
                box.low[axis] = std::max(start[axis] - farthest, 0.0);
                box.high[axis] = std::min(start[axis] + farthest, last_coordinate);
            }
        }
        const auto promise = [&](const std::vector<double>& at) {
            const auto slope = model_.slope_at(at);
            const auto [by_mean, by_deviation] = slope_of_log_improvement(slope.belief, best_);
            Height result{log_expected_improvement(slope.belief, best_), std::vector<double>(at.size())};
            for (std::size_t axis = 0; axis < at.size(); ++axis) {
                result.gradient[axis] = by_mean * slope.mean[axis] + by_deviation * slope.deviation[axis];
            }
            return result;
        };
        const auto top = ascend(promise, start, box, {.most_steps = 30, .longest_step = farthest, .least_step = 1e-5});
        auto point = found.point;
        for (std::size_t axis = 0; axis < point.size(); ++axis) {
            point[axis] = box.low[axis] < box.high[axis] ? top[axis] : point[axis];
        }
        take_if_better(found, std::move(point));
    }

    void consider(std::vector<double> point) {
        if (auto found = look_at(std::move(point))) {
            found_.push_back(*std::move(found));
        }
    }

    /// The point with some of its coordinates changed: numbers by a normal variable, categories to any other.
    std::vector<double> beside(std::vector<double> point, double width) {
        const double share = std::max(1.0 / static_cast<double>(point.size()), 0.3);
        for (std::size_t axis = 0; axis < point.size(); ++axis) {
            if (random_.uniform() >= share) {
                continue;
            }
            const auto& its = sampler_.axes()[axis];
            const double uniform = random_.uniform();
            const double step =
                std::max(width, its.cell_length_at(point[axis])) * normal_quantile(std::max(uniform, 1e-12));
            point[axis] = its.is_categorical ? uniform : std::clamp(point[axis] + step, 0.0, last_coordinate);
        }
        return point;
    }

    const GpSampler& sampler_;
    CounterRandom random_;
    GaussianProcess model_;
    double best_;  // the lowest mean at the points with values, and at the pending ones
    std::vector<Found> found_;
};

GpSampler::GpSampler(const SweepSpec& spec) : ModelSampler(spec, enough(spec.space)) {}

std::optional<TrialId> GpSampler::explored_by(TrialId trial) const {
    return trial.value % 8 == 7 ? std::optional(TrialId{trial.value / 8}) : std::nullopt;
}

std::optional<Config> GpSampler::by_model(const Results& results, const Results::Ranking& ranking, TrialId trial) {
    const auto is_best = [&](const Results::Loss& each) { return each.loss == ranking.best.front().loss; };
    if (std::ranges::all_of(ranking.losses, is_best)) {
        return {};  // equal losses teach nothing, and the model would only explore the borders of the space
    }
    constexpr std::size_t most_best = 5;
    std::vector<Results::Point> best;
    for (std::size_t i = 0; i < std::min(ranking.best.size(), most_best); ++i) {
        best.push_back(results.point(ranking.best[i].trial));
    }
    return Search(*this, seen(results, ranking), trial).run(best);
}

bool GpSampler::is_second_due(const Results& latest, const Results::Ranking& ranking) const {
    return std::min(ranking.num_own, ranking.num_finite) >=
               (second().has_begun() ? fewest_of_second : fewest_of_first) &&
           spread_of_best(latest, ranking, axes(), num_compared, SpreadBy::numbers) < close_together;
}

GpSampler::Seen GpSampler::seen(const Results& results, const Results::Ranking& ranking) {
    std::vector<double> losses(static_cast<std::size_t>(results.num_trials()), worst_loss);
    for (const auto& [loss, trial] : ranking.losses) {
        losses[static_cast<std::size_t>(trial)] = loss;
    }
    std::vector<int> settled;
    std::vector<int> pending;
    for (int trial = 0; trial < results.num_trials(); ++trial) {
        if (results.is_settled_so_far(trial, ranking)) {
            settled.push_back(trial);
        } else if (results.is_running(trial)) {
            pending.push_back(trial);
        }
    }
    const auto loss_of = [&](int trial) { return losses[static_cast<std::size_t>(trial)]; };
    if (pending.size() > most_pending) {
        pending.erase(pending.begin(), pending.end() - most_pending);
    }
    const auto most = std::min(most_results, most_points - pending.size());
    if (settled.size() > most) {  // the best half, and the newest of the others
        const auto half = settled.begin() + static_cast<std::ptrdiff_t>(most / 2);
        std::ranges::stable_sort(settled, {}, loss_of);
        std::sort(half, settled.end(), std::greater<>());
        settled.resize(most);
        std::ranges::sort(settled);
    }

    Seen result;
    std::vector<double> values;
    for (const int trial : settled) {
        std::ranges::copy(results.point(trial), std::back_inserter(result.points));
        values.push_back(loss_of(trial));
    }
    for (const int trial : pending) {
        std::ranges::copy(results.point(trial), std::back_inserter(result.pending));
    }
    result.losses = standardized(half_ranked(std::move(values)));
    return result;
}

std::unique_ptr<Sampler> GpSampler::clone() const { return std::make_unique<GpSampler>(*this); }

}  // namespace crescendo
