#include "scheduler/space/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "scheduler/space/quantiles.hpp"
#include "scheduler/space/quantized.hpp"

namespace crescendo {
namespace {

/// Chooses by random numbers.
struct RandomChoice {
    CounterRandom& random;

    /// A number in [0, 1).
    double uniform() const { return random.uniform(); }
    /// A whole number in [0, last].
    std::uint64_t up_to(std::uint64_t last) const {
        const bool all = last == std::numeric_limits<std::uint64_t>::max();
        return all ? random.next() : random.below(last + 1);
    }
};

/// Chooses by one coordinate of a point, in [0, 1).
struct CoordinateChoice {
    double coordinate;

    double uniform() const { return coordinate; }
    std::uint64_t up_to(std::uint64_t last) const {
        // Below 2^64, because the coordinate is below 1. Rounding can carry the product beyond `last`.
        return std::min(static_cast<std::uint64_t>(coordinate * (static_cast<double>(last) + 1)), last);
    }
};

/// The first category at which the sum of probabilities exceeds `coordinate`. A category with the probability 0 is
/// never chosen.
const Value& weighted(const Categorical& d, double coordinate) {
    std::size_t chosen = 0;
    double sum = 0;
    for (std::size_t i = 0; i < d.values.size() && sum <= coordinate; ++i) {
        sum += d.probabilities[i];
        chosen = d.probabilities[i] > 0 ? i : chosen;  // the last one, if rounding leaves the sum below 1
    }
    return d.values[chosen];
}

/// The value that `choice` chooses from a distribution.
template <class Choice>
struct Choose {
    Choice choice;

    Value operator()(const Uniform& d) const { return uniform(d.min, d.max); }
    Value operator()(const LogUniformValues& d) const { return log_uniform(d.min, d.max); }
    Value operator()(const IntUniform& d) const {
        // Unsigned, because the width of a range and the sum may need more than 63 bits.
        const auto min = static_cast<std::uint64_t>(d.min);
        return static_cast<std::int64_t>(min + choice.up_to(static_cast<std::uint64_t>(d.max) - min));
    }
    Value operator()(const QUniform& d) const { return quantized(uniform(d.min, d.max), d.min, d.max, d.q); }
    Value operator()(const QLogUniformValues& d) const {
        return quantized(log_uniform(d.min, d.max), d.min, d.max, d.q);
    }
    Value operator()(const Normal& d) const { return normal(d.mu, d.sigma); }
    Value operator()(const QNormal& d) const { return quantized(normal(d.mu, d.sigma), d.q); }
    Value operator()(const LogNormal& d) const { return std::exp(normal(d.mu, d.sigma)); }
    Value operator()(const QLogNormal& d) const { return quantized(std::exp(normal(d.mu, d.sigma)), d.q); }
    Value operator()(const Beta& d) const { return beta_quantile(choice.uniform(), d.a, d.b); }
    Value operator()(const QBeta& d) const { return quantized(beta_quantile(choice.uniform(), d.a, d.b), d.q); }
    Value operator()(const Categorical& d) const {
        return d.probabilities.empty() ? d.values[choice.up_to(d.values.size() - 1)] : weighted(d, choice.uniform());
    }
    Value operator()(const Constant& d) const { return d.value; }

    double uniform(double min, double max) const {
        // Rounding can carry the sum up to max, which is not in the range.
        return std::min(min + choice.uniform() * (max - min), std::nextafter(max, min));
    }
    double log_uniform(double min, double max) const {
        return std::clamp(std::exp(uniform(std::log(min), std::log(max))), min, max);
    }
    double normal(double mu, double sigma) const {
        // A coordinate of 0 stands for the cell [0, 2^-53). Its middle is used, because the quantile of 0 is infinite.
        return mu + sigma * normal_quantile(std::max(choice.uniform(), 0x1.0p-54));
    }
};

double inside(double coordinate) { return std::clamp(coordinate, 0.0, std::nextafter(1.0, 0.0)); }

/// The coordinate of a value: the inverse of Choose<CoordinateChoice>.
struct Locate {
    const Value& value;

    using Result = std::optional<double>;

    Result operator()(const IntUniform& d) const {
        const auto min = static_cast<double>(d.min);
        return of_number([&](double x) { return (x - min + 0.5) / (static_cast<double>(d.max) - min + 1); });
    }
    Result operator()(const Categorical& d) const {
        const auto all = coordinates_of(d);
        const auto found = all.find(value);
        return found == all.end() ? Result() : Result(found->second);
    }
    Result operator()(const Constant&) const { return 0; }
    Result operator()(const auto& d) const {
        const auto below = [&](double x) { return probability_below(d, x); };
        if constexpr (requires { d.q; }) {  // all that is rounded to the value
            return of_number([&](double x) {
                const auto [first, last] = cell(d, x);
                return (first + last) / 2;
            });
        } else {
            return of_number(below);
        }
    }

    /// The first and last coordinates that are rounded to x. The outermost multiples in a range also get the
    /// coordinates of multiples beyond its ends.
    template <class Quantized>
    static std::pair<double, double> cell(const Quantized& d, double x) {
        double first = probability_below(d, x - d.q / 2);
        double last = probability_below(d, x + d.q / 2);
        if constexpr (requires { d.max; }) {
            const double multiple = std::round(x / d.q);
            first = multiple <= first_multiple(d.min, d.q) ? 0 : first;
            last = multiple >= last_multiple(d.max, d.q) ? 1 : last;
        }
        return {inside(first), inside(last)};
    }

    /// The probability of values below x, before they are rounded. For an x beyond the ends of a range, the result may
    /// be outside of [0, 1].
    template <class Range>
    requires requires(Range d) { d.max; }
    static double probability_below(const Range& d, double x) {
        if constexpr (std::is_same_v<Range, LogUniformValues> || std::is_same_v<Range, QLogUniformValues>) {
            return (std::log(std::max(x, d.min)) - std::log(d.min)) / (std::log(d.max) - std::log(d.min));
        } else {
            return (x - d.min) / (d.max - d.min);
        }
    }
    static double probability_below(const Normal& d, double x) { return normal_probability((x - d.mu) / d.sigma); }
    static double probability_below(const QNormal& d, double x) { return normal_probability((x - d.mu) / d.sigma); }
    static double probability_below(const LogNormal& d, double x) { return below_exp_of_normal(d.mu, d.sigma, x); }
    static double probability_below(const QLogNormal& d, double x) { return below_exp_of_normal(d.mu, d.sigma, x); }
    static double probability_below(const Beta& d, double x) { return beta_probability(x, d.a, d.b); }
    static double probability_below(const QBeta& d, double x) { return beta_probability(x, d.a, d.b); }
    static double below_exp_of_normal(double mu, double sigma, double x) {
        return x > 0 ? normal_probability((std::log(x) - mu) / sigma) : 0;
    }

    template <class Below>
    Result of_number(Below below) const {
        const auto* whole = std::get_if<std::int64_t>(&value);
        const auto* number = std::get_if<double>(&value);
        if (whole == nullptr && (number == nullptr || std::isnan(*number))) {
            return {};
        }
        return inside(below(whole != nullptr ? static_cast<double>(*whole) : *number));
    }
};

struct FindCell {
    double coordinate;

    std::pair<double, double> operator()(const IntUniform& d) const {
        const double count = static_cast<double>(d.max) - static_cast<double>(d.min) + 1;
        const double index = std::floor(coordinate * count);
        return {index / count, (index + 1) / count};
    }
    std::pair<double, double> operator()(const auto& d) const {
        if constexpr (requires { d.q; }) {
            return Locate::cell(d, std::get<double>(value_at(d, coordinate)));
        } else {
            return {coordinate, coordinate};
        }
    }
};

}  // namespace

bool is_constant(const Distribution& distribution) { return std::holds_alternative<Constant>(distribution); }

Value value_at(const Distribution& distribution, double coordinate) {
    return std::visit(Choose<CoordinateChoice>{{coordinate}}, distribution);
}

std::optional<double> coordinate_of(const Distribution& distribution, const Value& value) {
    return std::visit(Locate{value}, distribution);
}

std::pair<double, double> cell_at(const Distribution& distribution, double coordinate) {
    return std::visit(FindCell{coordinate}, distribution);
}

std::map<Value, double> coordinates_of(const Categorical& distribution) {
    const auto& [values, probabilities] = distribution;
    std::map<Value, double> coordinates;
    const auto count = static_cast<double>(values.size());
    double below = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (probabilities.empty()) {
            coordinates.try_emplace(values[i], (static_cast<double>(i) + 0.5) / count);
        } else {
            coordinates.try_emplace(values[i], inside(below + probabilities[i] / 2));
            below += probabilities[i];
        }
    }
    return coordinates;
}

Value draw(const Distribution& distribution, CounterRandom& random) {
    return std::visit(Choose<RandomChoice>{{random}}, distribution);
}

}  // namespace crescendo
