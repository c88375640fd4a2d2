#include "launch/report/parameter_importance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/importance.hpp"
#include "launch/messages/value_json.hpp"
#include "launch/report/numbers.hpp"

namespace crescendo::launch {
namespace {

using analysis::Dimension;
using analysis::Sample;

constexpr std::size_t fewest_trials = 10;  // a forest of fewer says nothing
constexpr std::size_t most_rungs = 5;
constexpr int num_places = 24;       // of a marginal
constexpr int num_pair_places = 14;  // of each parameter of a pair
constexpr std::size_t most_paired = 3;

template <class... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};

double as_number(const Value& value) {
    return std::visit(
        [](const auto& each) -> double {
            if constexpr (std::is_arithmetic_v<std::decay_t<decltype(each)>>) {
                return static_cast<double>(each);
            } else {
                return std::numeric_limits<double>::quiet_NaN();
            }
        },
        value);
}

/// A parameter that varies, as a coordinate.
struct Coordinate {
    std::string name;
    std::vector<Value> choices{};  ///< none: a number
    bool is_log = false;
    double low = 0;
    double high = 1;

    Dimension dimension() const { return {static_cast<int>(choices.size())}; }

    /// The place of a value; nothing if it has none.
    std::optional<double> place(const Value& value) const {
        if (!choices.empty()) {
            const auto found = std::ranges::find(choices, value);
            return found == choices.end() ? std::nullopt : std::optional(static_cast<double>(found - choices.begin()));
        }
        const auto scaled = [this](double number) { return is_log ? std::log(number) : number; };
        const double place = (scaled(as_number(value)) - scaled(low)) / (scaled(high) - scaled(low));
        return std::isnan(place) ? std::nullopt : std::optional(std::clamp(place, 0.0, 1.0));
    }

    OrderedJson json() const {
        OrderedJson result{{"name", name}};
        if (choices.empty()) {
            result.update({{"scale", is_log ? "log" : "linear"}, {"low", low}, {"high", high}});
        } else {
            result["scale"] = "choice";
            result["choices"] = OrderedJson::array();
            for (const auto& choice : choices) {
                result["choices"].push_back(OrderedJson(to_json(choice)));
            }
        }
        return result;
    }
};

/// The coordinate of a parameter; nothing if it cannot vary.
std::optional<Coordinate> coordinate_of(const Parameter& parameter) {
    constexpr std::size_t most_choices = 64;  // of analysis::Dimension
    const auto& name = parameter.name;
    const auto numbers = [&](double low, double high, bool is_log = false) {
        return low < high ? std::optional(Coordinate{name, {}, is_log, low, high}) : std::nullopt;
    };
    // A scale without ends shows the middle 99 % of what is drawn.
    const auto usual = [&](bool is_log) {
        const double low = as_number(value_at(parameter.distribution, 0.005));
        const double high = as_number(value_at(parameter.distribution, 0.995));
        return numbers(is_log ? std::max(low, 1e-3 * high) : low, high, is_log);
    };
    return std::visit(Overloaded{[&](const Uniform& each) { return numbers(each.min, each.max); },
                                 [&](const LogUniformValues& each) { return numbers(each.min, each.max, true); },
                                 [&](const IntUniform& each) {
                                     // Each whole number gets a part of the scale that is equally long.
                                     return each.min < each.max ? numbers(static_cast<double>(each.min) - 0.5,
                                                                          static_cast<double>(each.max) + 0.5)
                                                                : std::nullopt;
                                 },
                                 [&](const QUniform& each) { return numbers(each.min, each.max); },
                                 [&](const QLogUniformValues& each) { return numbers(each.min, each.max, true); },
                                 [&](const Normal&) { return usual(false); },
                                 [&](const QNormal&) { return usual(false); },
                                 [&](const LogNormal&) { return usual(true); },
                                 [&](const QLogNormal&) { return usual(true); },
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

/// The metric that a trial had when it crossed a milestone.
std::optional<double> metric_at(const TrialHistory& trial, Resource milestone, const std::string& metric) {
    for (const auto& report : trial.reports) {
        if (report.resource >= milestone) {
            const auto found = report.metrics.find(metric);
            return found == report.metrics.end() || !std::isfinite(found->second) ? std::nullopt
                                                                                  : std::optional(found->second);
        }
    }
    return std::nullopt;
}

std::vector<Sample> samples_at(const History& history, const std::vector<Coordinate>& coordinates, Resource milestone) {
    std::vector<Sample> samples;
    for (const auto& trial : history.sweep().trials()) {
        const auto value = metric_at(history.of(trial.id), milestone, history.sweep().spec().metric);
        Sample sample{{}, value.value_or(0)};
        for (const auto& coordinate : coordinates) {
            const auto parameter =
                std::ranges::find(trial.config, coordinate.name, &std::pair<std::string, Value>::first);
            if (const auto place =
                    parameter == trial.config.end() ? std::nullopt : coordinate.place(parameter->second)) {
                sample.place.push_back(*place);
            }
        }
        if (value && sample.place.size() == coordinates.size()) {
            samples.push_back(std::move(sample));
        }
    }
    return samples;
}

std::vector<Sample> thinned(std::vector<Sample> samples, std::size_t most) {
    if (samples.size() <= most) {
        return samples;
    }
    std::vector<Sample> kept;
    for (std::size_t i = 0; i < most; ++i) {
        kept.push_back(std::move(samples[i * samples.size() / most]));
    }
    return kept;
}

OrderedJson estimate_json(const analysis::Estimate& estimate) {
    return {number_json(estimate.mean, 5), number_json(estimate.deviation, 3)};
}

OrderedJson pairs_json(const analysis::RegressionForest& forest, const std::vector<analysis::Estimate>& shares) {
    std::vector<std::size_t> order(shares.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return shares[i].mean; });
    order.resize(std::min(order.size(), most_paired));
    auto pairs = OrderedJson::array();
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t j = i + 1; j < order.size(); ++j) {
            auto rows = OrderedJson::array();
            for (const auto& row : analysis::pair_marginal(forest, order[i], order[j], num_pair_places)) {
                rows.push_back(numbers_json(row, 4));
            }
            pairs.push_back({{"first", order[i]}, {"second", order[j]}, {"means", rows}});
        }
    }
    return pairs;
}

OrderedJson rung_json(Resource milestone, std::size_t num_trials, const std::vector<Coordinate>& coordinates,
                      const std::vector<Sample>& samples) {
    std::vector<Dimension> dimensions;
    for (const auto& coordinate : coordinates) {
        dimensions.push_back(coordinate.dimension());
    }
    const analysis::RegressionForest forest(dimensions, samples);
    const auto shares = analysis::importances(forest);
    OrderedJson result{{"at", milestone.value}, {"trials", num_trials}};
    result["shares"] = OrderedJson::array();
    result["marginals"] = OrderedJson::array();
    for (std::size_t i = 0; i < shares.size(); ++i) {
        result["shares"].push_back(estimate_json(shares[i]));
        auto places = OrderedJson::array();
        for (const auto& place : analysis::marginal(forest, i, num_places)) {
            places.push_back(estimate_json(place));
        }
        result["marginals"].push_back(places);
    }
    result["pairs"] = pairs_json(forest, shares);
    return result;
}

}  // namespace

OrderedJson parameters_json(const SearchSpace& space) {
    auto result = OrderedJson::array();
    for (const auto& coordinate : coordinates_of(space)) {
        result.push_back(coordinate.json());
    }
    return result;
}

OrderedJson importances_json(const History& history, std::size_t most_samples) {
    const auto coordinates = coordinates_of(history.sweep().spec().space);
    auto result = OrderedJson::array();
    for (const auto& rung : history.sweep().rungs()) {
        const auto samples = samples_at(history, coordinates, rung.milestone);
        if (!coordinates.empty() && samples.size() >= fewest_trials && result.size() < most_rungs) {
            result.push_back(rung_json(rung.milestone, samples.size(), coordinates, thinned(samples, most_samples)));
        }
    }
    return result;
}

}  // namespace crescendo::launch
