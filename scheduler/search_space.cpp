#include "scheduler/search_space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/check.hpp"

namespace crescendo {
namespace {

// Slack in counting the multiples of q: 0.3 / 0.1 is 2.9999999999999996 and must count as 3.
constexpr double slack = 1e-9;

double first_multiple(double min, double q) { return std::ceil(min / q - slack); }
double last_multiple(double max, double q) { return std::floor(max / q + slack); }

/// The multiple of q nearest to x, halves away from zero, among those in [min, max].
double quantized(double x, double min, double max, double q) {
    const double multiple = std::clamp(std::round(x / q), first_multiple(min, q), last_multiple(max, q));
    return std::clamp(multiple * q, min, max);  // 3 * 0.1 is just above 0.3
}

/// Chooses by random numbers.
struct RandomChoice {
    CounterRandom& random;

    /// In [0, 1).
    double uniform() const { return random.uniform(); }
    /// In [0, last], whole.
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
        // Below 2^64, since the coordinate is below 1. Rounding can carry it beyond `last`.
        return std::min(static_cast<std::uint64_t>(coordinate * (static_cast<double>(last) + 1)), last);
    }
};

/// The value that `choice` takes from a distribution.
template <class Choice>
struct Choose {
    Choice choice;

    Value operator()(const Uniform& d) const { return uniform(d.min, d.max); }
    Value operator()(const LogUniformValues& d) const { return log_uniform(d.min, d.max); }
    Value operator()(const IntUniform& d) const {
        // Unsigned, for the width of a range and the sum may exceed what 63 bits hold.
        const auto min = static_cast<std::uint64_t>(d.min);
        return static_cast<std::int64_t>(min + choice.up_to(static_cast<std::uint64_t>(d.max) - min));
    }
    Value operator()(const QUniform& d) const { return quantized(uniform(d.min, d.max), d.min, d.max, d.q); }
    Value operator()(const QLogUniformValues& d) const {
        return quantized(log_uniform(d.min, d.max), d.min, d.max, d.q);
    }
    Value operator()(const Categorical& d) const { return d.values[choice.up_to(d.values.size() - 1)]; }
    Value operator()(const Constant& d) const { return d.value; }

    double uniform(double min, double max) const {
        // Rounding can carry the sum up to max, which is not in the range.
        return std::min(min + choice.uniform() * (max - min), std::nextafter(max, min));
    }
    double log_uniform(double min, double max) const {
        return std::clamp(std::exp(uniform(std::log(min), std::log(max))), min, max);
    }
};

bool is_constant(const Distribution& distribution) { return std::holds_alternative<Constant>(distribution); }

struct Check {
    const std::string& key;

    void operator()(const Uniform& d) const { range(d.min, d.max); }
    void operator()(const LogUniformValues& d) const { positive_range(d.min, d.max); }
    void operator()(const IntUniform& d) const {
        CRESCENDO_VALIDATE(d.min <= d.max, key, "min is {} and max is {} (no number lies between); exchange them",
                           d.min, d.max);
    }
    void operator()(const QUniform& d) const {
        range(d.min, d.max);
        multiples(d.min, d.max, d.q);
    }
    void operator()(const QLogUniformValues& d) const {
        positive_range(d.min, d.max);
        multiples(d.min, d.max, d.q);
    }
    void operator()(const Categorical& d) const {
        CRESCENDO_VALIDATE(!d.values.empty(), key, "values is empty (there is nothing to choose from); list some");
    }
    void operator()(const Constant&) const {}

    void range(double min, double max) const {
        CRESCENDO_VALIDATE(std::isfinite(min) && std::isfinite(max) && std::isfinite(max - min), key,
                           "min is {} and max is {} (a range must be finite to be sampled); use finite bounds", min,
                           max);
        CRESCENDO_VALIDATE(min < max, key,
                           "min is {} and max is {} (nothing lies between); use a min below max, or value: {}", min,
                           max, min);
    }
    void positive_range(double min, double max) const {
        range(min, max);
        CRESCENDO_VALIDATE(min > 0, key, "min is {} (only positive numbers have a logarithm); use a min above 0", min);
    }
    void multiples(double min, double max, double q) const {
        CRESCENDO_VALIDATE(q > 0 && std::isfinite(q), key,
                           "q is {} (values are rounded to multiples of it); use a q above 0", q);
        CRESCENDO_VALIDATE(first_multiple(min, q) <= last_multiple(max, q), key,
                           "q is {} (no multiple of it lies between {} and {}); use a smaller q", q, min, max);
    }
};

}  // namespace

SearchSpace::SearchSpace(std::vector<Parameter> parameters) : parameters_(std::move(parameters)) {
    std::set<std::string> names;
    for (const auto& [name, distribution] : parameters_) {
        const std::string key = "parameters." + name;
        CRESCENDO_VALIDATE(names.insert(name).second, key,
                           "parameter {} is given twice (a trial has one value of it); remove one", name);
        std::visit(Check{key}, distribution);
    }
}

int SearchSpace::num_dimensions() const {
    return static_cast<int>(std::count_if(parameters_.begin(), parameters_.end(), [](const Parameter& parameter) {
        return !is_constant(parameter.distribution);
    }));
}

Config SearchSpace::at(const std::vector<double>& point) const {
    CRESCENDO_EXPECT(point.size() == static_cast<std::size_t>(num_dimensions()));
    auto coordinate = point.begin();
    Config config;
    config.reserve(parameters_.size());
    for (const auto& [name, distribution] : parameters_) {
        CoordinateChoice choice{0};  // a constant has no coordinate
        if (!is_constant(distribution)) {
            CRESCENDO_EXPECT(*coordinate >= 0 && *coordinate < 1);
            choice.coordinate = *coordinate++;
        }
        config.emplace_back(name, std::visit(Choose<CoordinateChoice>{choice}, distribution));
    }
    return config;
}

Config SearchSpace::sample(CounterRandom random) const {
    Config config;
    for (const auto& [name, distribution] : parameters_) {
        config.emplace_back(name, std::visit(Choose<RandomChoice>{{random}}, distribution));
    }
    return config;
}

Config SearchSpace::in_order(const Config& config) const {
    Config ordered;
    ordered.reserve(parameters_.size());
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const auto& name = parameters_[i].name;
        const auto has_name = [&](const auto& value) { return value.first == name; };
        const bool is_in_place = i < config.size() && has_name(config[i]);
        const auto found = is_in_place ? config.begin() + static_cast<std::ptrdiff_t>(i)
                                       : std::find_if(config.begin(), config.end(), has_name);
        CRESCENDO_VALIDATE(found != config.end(), "config",
                           "a configuration lacks the parameter {} (a trial has a value of each); add it", name);
        ordered.push_back(*found);
    }
    CRESCENDO_VALIDATE(config.size() == parameters_.size(), "config",
                       "a configuration has {} values and the sweep {} parameters; leave out what is no parameter",
                       config.size(), parameters_.size());
    return ordered;
}

}  // namespace crescendo
