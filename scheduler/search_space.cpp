#include "scheduler/search_space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/check.hpp"
#include "core/draws.hpp"

namespace crescendo {
namespace {

// Slack in counting the multiples of q: 0.3 / 0.1 is 2.9999999999999996 and must count as 3.
constexpr double slack = 1e-9;

double first_multiple(double min, double q) { return std::ceil(min / q - slack); }
double last_multiple(double max, double q) { return std::floor(max / q + slack); }

double uniform(CounterRandom& random, double min, double max) {
    // Rounding can carry the sum up to max, which is not in the range.
    return std::min(min + random.uniform() * (max - min), std::nextafter(max, min));
}

double log_uniform(CounterRandom& random, double min, double max) {
    return std::clamp(std::exp(uniform(random, std::log(min), std::log(max))), min, max);
}

/// The multiple of q nearest to x, halves away from zero, among those in [min, max].
double quantized(double x, double min, double max, double q) {
    const double multiple = std::clamp(std::round(x / q), first_multiple(min, q), last_multiple(max, q));
    return std::clamp(multiple * q, min, max);  // 3 * 0.1 is just above 0.3
}

struct Sample {
    CounterRandom& random;

    Value operator()(const Uniform& d) const { return uniform(random, d.min, d.max); }
    Value operator()(const LogUniformValues& d) const { return log_uniform(random, d.min, d.max); }
    Value operator()(const IntUniform& d) const {
        // Unsigned, for the width of a range and the sum may exceed what 63 bits hold.
        const auto min = static_cast<std::uint64_t>(d.min);
        const auto width = static_cast<std::uint64_t>(d.max) - min;
        const bool all = width == std::numeric_limits<std::uint64_t>::max();
        return static_cast<std::int64_t>(min + (all ? random.next() : random.below(width + 1)));
    }
    Value operator()(const QUniform& d) const { return quantized(uniform(random, d.min, d.max), d.min, d.max, d.q); }
    Value operator()(const QLogUniformValues& d) const {
        return quantized(log_uniform(random, d.min, d.max), d.min, d.max, d.q);
    }
    Value operator()(const Categorical& d) const { return d.values[random.below(d.values.size())]; }
    Value operator()(const Constant& d) const { return d.value; }
};

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

Config SearchSpace::sample(std::uint64_t seed, TrialId trial) const {
    auto random = draws(seed, Purpose::configuration, trial);
    Config config;
    for (const auto& [name, distribution] : parameters_) {
        config.emplace_back(name, std::visit(Sample{random}, distribution));
    }
    return config;
}

}  // namespace crescendo
