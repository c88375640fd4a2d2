#include "launch/report/parameter_importance.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/importance.hpp"
#include "core/mapped.hpp"
#include "core/random.hpp"
#include "launch/json/value_json.hpp"
#include "launch/report/judged_at.hpp"
#include "launch/report/numbers.hpp"

namespace crescendo::launch {
namespace {

using analysis::Dimension;
using analysis::Sample;

constexpr std::size_t fewest_trials = 10;  // a forest of fewer says nothing; with `repeat`, of fewer configurations
constexpr std::size_t most_rungs = 5;
constexpr int num_places = 24;       // points of a marginal
constexpr int num_pair_places = 14;  // points for each parameter of a pair
constexpr std::size_t most_paired = 3;
constexpr std::size_t most_choices = analysis::Dimension::most_choices;

template <class... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;  // Clang 16 does not deduce it

/// A parameter that varies, as a coordinate.
struct Coordinate {
    std::string name;
    std::vector<Value> choices{};  ///< empty: the parameter is a number
    bool is_log = false;
    double low = 0;
    double high = 1;

    Dimension dimension() const { return {static_cast<int>(choices.size())}; }

    /// The coordinate of a value, 0 to 1 or the index of a choice; nothing if it has none.
    std::optional<double> place(const Value& value) const {
        if (!choices.empty()) {
            const auto found = std::ranges::find(choices, value);
            return found == choices.end() ? std::nullopt : std::optional(static_cast<double>(found - choices.begin()));
        }
        const auto scaled = [this](double number) { return is_log ? std::log(number) : number; };
        const double place = (scaled(to_number(value)) - scaled(low)) / (scaled(high) - scaled(low));
        return std::isnan(place) ? std::nullopt : std::optional(std::clamp(place, 0.0, 1.0));
    }

    OrderedJson json() const {
        OrderedJson result{{"name", name}};
        if (choices.empty()) {
            result.update({{"scale", is_log ? "log" : "linear"}, {"low", low}, {"high", high}});
        } else {
            result["scale"] = "choice";
            result["choices"] = mapped(choices, [](const Value& choice) { return to_json(choice); });
        }
        return result;
    }
};

/// The coordinate of a parameter; nothing if it cannot vary.
std::optional<Coordinate> coordinate_of(const Parameter& parameter) {
    const auto& name = parameter.name;
    const auto numbers = [&](double low, double high, bool is_log = false) {
        return low < high ? std::optional(Coordinate{name, {}, is_log, low, high}) : std::nullopt;
    };
    // An unbounded scale shows the middle 99 % of the values that are drawn. If they begin with 0, which has no place
    // on a logarithmic scale, it begins at `positive` instead.
    const auto usual = [&](bool is_log, double positive = 0) {
        const double low = to_number(value_at(parameter.distribution, 0.005));
        const double high = to_number(value_at(parameter.distribution, 0.995));
        return numbers(is_log && low <= 0 ? positive : low, high, is_log);
    };
    return std::visit(Overloaded{[&](const Uniform& each) { return numbers(each.min, each.max); },
                                 [&](const LogUniformValues& each) { return numbers(each.min, each.max, true); },
                                 [&](const IntUniform& each) {
                                     // Each whole number gets an equal part of the scale.
                                     return each.min < each.max ? numbers(static_cast<double>(each.min) - 0.5,
                                                                          static_cast<double>(each.max) + 0.5)
                                                                : std::nullopt;
                                 },
                                 [&](const QUniform& each) { return numbers(each.min, each.max); },
                                 [&](const QLogUniformValues& each) { return numbers(each.min, each.max, true); },
                                 [&](const Normal&) { return usual(false); },
                                 [&](const QNormal&) { return usual(false); },
                                 [&](const LogNormal&) { return usual(true); },
                                 [&](const QLogNormal& each) { return usual(true, each.q / 2); },
                                 [&](const Beta&) { return numbers(0, 1); },
                                 [&](const QBeta&) { return numbers(0, 1); },
                                 [&](const Categorical& each) {
                                     const bool varies = each.values.size() > 1 && each.values.size() <= most_choices;
                                     return varies ? std::optional(Coordinate{name, each.values}) : std::nullopt;
                                 },
                                 [](const Constant&) { return std::optional<Coordinate>(); }},
                      parameter.distribution);
}

std::vector<Coordinate> coordinates_of(const SearchSpace& space) {
    std::vector<Coordinate> coordinates;
    for (const auto& parameter : space.parameters()) {
        if (auto coordinate = coordinate_of(parameter)) {
            coordinates.push_back(std::move(*coordinate));
        }
    }
    return coordinates;
}

/// A configuration at a rung: the place of each coordinate that it has, and the metric.
struct Observation {
    std::vector<std::optional<double>> places;
    double value;
};

std::vector<Observation> observations_at(const History& history, const std::vector<Coordinate>& coordinates,
                                         Resource milestone) {
    std::vector<Observation> observations;
    for (const auto& candidate : history.sweep().candidates()) {
        const auto value = judged_at(history, candidate.id, milestone);
        if (!value) {
            continue;
        }
        Observation observation{{}, *value};
        auto next = candidate.config.begin();  // in the order of the space, and so are the coordinates
        auto coordinate = coordinates.begin();
        for (const auto& parameter : history.sweep().spec().space.parameters()) {
            const bool is_there = next != candidate.config.end() && next->first == parameter.name;
            if (coordinate != coordinates.end() && coordinate->name == parameter.name) {
                observation.places.push_back(is_there ? coordinate->place(next->second) : std::nullopt);
                ++coordinate;
            }
            next += is_there;
        }
        observations.push_back(std::move(observation));
    }
    return observations;
}

struct FarOff {
    std::size_t trials = 0;
    double counts_as = 0;
};

/// Replaces values that are far worse than most by a bound, Tukey's outer fence: three interquartile ranges beyond the
/// quartile (Exploratory Data Analysis, 1977). Otherwise a training that diverged would make up nearly all of the
/// variance.
FarOff limit_far_off(std::vector<Observation>& observations, Goal goal) {
    auto losses = mapped(observations, [&](const Observation& each) { return to_loss(goal, each.value); });
    std::ranges::sort(losses);
    const double low = losses[losses.size() / 4];
    const double high = losses[losses.size() - 1 - losses.size() / 4];
    const double bound = high + 3 * (high - low);
    FarOff result{0, from_loss(goal, bound)};
    if (!(high > low)) {
        return result;  // if most values are equal, they say nothing about the others
    }
    for (auto& observation : observations) {
        if (to_loss(goal, observation.value) > bound) {
            observation.value = result.counts_as;
            ++result.trials;
        }
    }
    return result;
}

/// Coordinates that the same trials have. A parameter with a condition matters only in trials that have it, so it is
/// judged by these trials, together with all coordinates that all of them have.
struct Family {
    std::vector<bool> trials;          ///< which observations have them
    std::vector<std::size_t> members;  ///< the coordinates
    std::vector<std::size_t> all;      ///< the coordinates that all of these trials have, members too

    std::size_t num_trials() const { return static_cast<std::size_t>(std::ranges::count(trials, true)); }
};

std::vector<Family> families_of(const std::vector<Observation>& observations, std::size_t num_coordinates) {
    std::vector<std::vector<bool>> trials(num_coordinates);
    for (std::size_t i = 0; i < num_coordinates; ++i) {
        trials[i] = mapped(observations, [&](const Observation& each) { return each.places[i].has_value(); });
    }
    std::vector<Family> families;
    for (std::size_t i = 0; i < num_coordinates; ++i) {
        const auto found = std::ranges::find(families, trials[i], &Family::trials);
        auto& family = found == families.end() ? families.emplace_back(Family{trials[i], {}, {}}) : *found;
        family.members.push_back(i);
    }
    for (auto& family : families) {
        for (std::size_t i = 0; i < num_coordinates; ++i) {
            // Whoever is in the family has the coordinate.
            if (std::ranges::equal(family.trials, trials[i], std::less_equal<bool>())) {
                family.all.push_back(i);
            }
        }
    }
    return families;
}

std::vector<Sample> samples_of(const Family& family, const std::vector<Observation>& observations) {
    std::vector<Sample> samples;
    for (std::size_t k = 0; k < observations.size(); ++k) {
        if (family.trials[k]) {
            const auto& observation = observations[k];
            samples.push_back(
                {mapped(family.all, [&](std::size_t i) { return *observation.places[i]; }), observation.value});
        }
    }
    return samples;
}

/// At most `most` of the samples, drawn at random. Every second one could be only the explored ones of a sampler.
std::vector<Sample> thinned(std::vector<Sample> samples, std::size_t most) {
    CounterRandom random(/*seed=*/1, /*stream=*/0);
    for (std::size_t i = 0; i < most && most < samples.size(); ++i) {
        std::swap(samples[i], samples[i + random.below(samples.size() - i)]);
    }
    samples.resize(std::min(samples.size(), most));
    return samples;
}

OrderedJson estimate_json(const analysis::MeanOfTrees& estimate) {
    return {number_json(estimate.mean, metric_digits), number_json(estimate.deviation, 3)};
}

/// Pairs of the most important coordinates. `shares` and `coordinates` have an entry for each dimension of the forest.
OrderedJson pairs_json(const analysis::RegressionForest& forest, const std::vector<analysis::MeanOfTrees>& shares,
                       const std::vector<std::size_t>& coordinates) {
    std::vector<std::size_t> order(shares.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return shares[i].mean; });
    order.resize(std::min(order.size(), most_paired));
    auto pairs = OrderedJson::array();
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t j = i + 1; j < order.size(); ++j) {
            const auto rows = mapped(analysis::pair_marginal(forest, order[i], order[j], num_pair_places),
                                     [](const auto& row) { return numbers_json(row, metric_digits); });
            pairs.push_back(
                {{"first", coordinates[order[i]]}, {"second", coordinates[order[j]]}, {"means", rows}});
        }
    }
    return pairs;
}

/// Adds the shares and marginals of a family's members, computed from its trials. If every trial is in the family, also
/// adds the pairs.
void add_family(OrderedJson& rung, const Family& family, const std::vector<Coordinate>& coordinates,
                std::vector<Sample> samples) {
    const auto dimensions = mapped(family.all, [&](std::size_t i) { return coordinates[i].dimension(); });
    const analysis::RegressionForest forest(dimensions, samples);
    const auto shares = analysis::importances(forest);
    for (std::size_t dimension = 0; dimension < family.all.size(); ++dimension) {
        const auto i = family.all[dimension];
        if (std::ranges::find(family.members, i) == family.members.end()) {
            continue;
        }
        rung["shares"][i] = estimate_json(shares[dimension]);
        rung["marginals"][i] = mapped(analysis::marginal(forest, dimension, num_places), estimate_json);
    }
    if (std::ranges::find(family.trials, false) == family.trials.end()) {
        rung["pairs"] = pairs_json(forest, shares, family.all);
    }
}

OrderedJson rung_json(Resource milestone, std::vector<Observation> observations, Goal goal,
                      const std::vector<Coordinate>& coordinates, std::size_t most_samples) {
    OrderedJson result{{"at", milestone >= unlimited_resource ? OrderedJson("the end") : OrderedJson(milestone.value)},
                       {"trials", observations.size()}};
    if (const auto far_off = limit_far_off(observations, goal); far_off.trials > 0) {
        result["far_off"] = {far_off.trials, number_json(far_off.counts_as, metric_digits)};
    }
    result["present"] = OrderedJson::array();
    result["shares"] = OrderedJson(coordinates.size(), nullptr);
    result["marginals"] = OrderedJson(coordinates.size(), nullptr);
    result["pairs"] = OrderedJson::array();
    std::vector<std::size_t> present(coordinates.size());
    for (const auto& family : families_of(observations, coordinates.size())) {
        for (const auto i : family.members) {
            present[i] = family.num_trials();
        }
        if (family.num_trials() >= fewest_trials) {
            add_family(result, family, coordinates, thinned(samples_of(family, observations), most_samples));
        }
    }
    result["present"] = present;
    return result;
}

}  // namespace

OrderedJson parameters_json(const SearchSpace& space) { return mapped(coordinates_of(space), &Coordinate::json); }

OrderedJson undrawn_parameters_json(const SearchSpace& space) {
    auto names = OrderedJson::array();
    for (const auto& parameter : space.parameters()) {
        const auto* choices = std::get_if<Categorical>(&parameter.distribution);
        if (choices != nullptr && choices->values.size() > most_choices) {
            names.push_back(parameter.name);
        }
    }
    return names;
}

OrderedJson importances_json(const History& history, std::size_t most_samples) {
    const auto coordinates = coordinates_of(history.sweep().spec().space);
    std::vector<std::pair<Resource, std::vector<Observation>>> rungs;
    for (const auto& rung : history.sweep().rungs()) {
        auto observations = observations_at(history, coordinates, rung.milestone);
        if (!coordinates.empty() && observations.size() >= fewest_trials) {
            rungs.emplace_back(rung.milestone, std::move(observations));
        }
    }
    auto result = OrderedJson::array();
    for (auto& [milestone, observations] : std::span(rungs).last(std::min(rungs.size(), most_rungs))) {
        result.push_back(
            rung_json(milestone, std::move(observations), history.sweep().spec().goal, coordinates, most_samples));
    }
    return result;
}

}  // namespace crescendo::launch
