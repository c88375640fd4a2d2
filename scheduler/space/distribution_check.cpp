#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "core/check.hpp"
#include "core/value.hpp"
#include "scheduler/space/distribution.hpp"
#include "scheduler/space/quantized.hpp"

namespace crescendo {
namespace {

constexpr double probability_tolerance = 1e-6;  // of their sum

// Beyond these ends a beta distribution is one number, or two, for all purposes.
constexpr double least_shape = 1e-3;
constexpr double largest_shape = 1e5;

/// The number with all of its digits if six are not enough, so that a message shows how two numbers differ.
std::string in_full(double number) {
    auto six_digits = text("{}", number);
    double read = 0;
    std::from_chars(six_digits.data(), six_digits.data() + six_digits.size(), read);
    return read == number ? six_digits : to_string(Value(number));
}

struct Check {
    const std::string& key;

    void operator()(const Uniform& d) const { range(d.min, d.max); }
    void operator()(const LogUniformValues& d) const { positive_range(d.min, d.max); }
    void operator()(const IntUniform& d) const {
        CRESCENDO_VALIDATE(d.min <= d.max, key, "min is {} and max is {} (no number lies between); swap them", d.min,
                           d.max);
    }
    void operator()(const QUniform& d) const {
        range(d.min, d.max);
        multiples(d.min, d.max, d.q);
    }
    void operator()(const QLogUniformValues& d) const {
        positive_range(d.min, d.max);
        multiples(d.min, d.max, d.q);
    }
    void operator()(const Normal& d) const { bell(d, d.mu, d.sigma); }
    void operator()(const QNormal& d) const {
        positive_q(d.q);
        bell(d, d.mu, d.sigma);
    }
    void operator()(const LogNormal& d) const { bell(d, d.mu, d.sigma); }
    void operator()(const QLogNormal& d) const {
        positive_q(d.q);
        bell(d, d.mu, d.sigma);
    }
    void operator()(const Beta& d) const { shape(d.a, d.b); }
    void operator()(const QBeta& d) const {
        positive_q(d.q);
        shape(d.a, d.b);
        finite(d);
    }
    void operator()(const Categorical& d) const {
        CRESCENDO_VALIDATE(!d.values.empty(), key, "values is empty (there is nothing to choose from); list some");
        if (!d.probabilities.empty()) {
            probabilities(d);
        }
    }
    void operator()(const Constant&) const {}

    void range(double min, double max) const {
        CRESCENDO_VALIDATE(std::isfinite(min) && std::isfinite(max) && std::isfinite(max - min), key,
                           "min is {} and max is {} (a range must be finite to be sampled); use finite bounds", min,
                           max);
        CRESCENDO_VALIDATE(min < max, key,
                           "min is {} and max is {} (nothing lies between); use a min below max, or value: {}",
                           in_full(min), in_full(max), in_full(min));
    }
    void positive_range(double min, double max) const {
        range(min, max);
        CRESCENDO_VALIDATE(min > 0, key, "min is {} (only positive numbers have a logarithm); use a min above 0", min);
        CRESCENDO_VALIDATE(std::log(min) < std::log(max), key,
                           "min is {} and max is {} (their logarithms are equal, so there is nothing to choose); use "
                           "value: {}",
                           in_full(min), in_full(max), in_full(min));
    }
    void positive_q(double q) const {
        CRESCENDO_VALIDATE(q > 0 && std::isfinite(q), key,
                           "q is {} (values are rounded to multiples of it); use a q above 0", q);
    }
    void multiples(double min, double max, double q) const {
        positive_q(q);
        CRESCENDO_VALIDATE(std::isfinite(min / q) && std::isfinite(max / q), key,
                           "q is {} (too small to distinguish its multiples from {} to {}); use a larger q", in_full(q),
                           in_full(min), in_full(max));
        CRESCENDO_VALIDATE(first_multiple(min, q) <= last_multiple(max, q), key,
                           "q is {} (no multiple of it lies between {} and {}); use a smaller q", in_full(q),
                           in_full(min), in_full(max));
    }
    void bell(const Distribution& d, double mu, double sigma) const {
        CRESCENDO_VALIDATE(sigma > 0, key, "sigma is {} (it is the spread of the values); use a sigma above 0, or "
                                           "distribution: constant", sigma);
        CRESCENDO_VALIDATE(std::isfinite(mu) && std::isfinite(sigma), key,
                           "mu is {} and sigma is {} (no number can be drawn); use finite numbers", mu, sigma);
        finite(d);
    }
    /// Quantiles increase with the coordinate, so the two ends show whether all are finite.
    void finite(const Distribution& d) const {
        const auto largest_coordinate = 1 - std::numeric_limits<double>::epsilon() / 2;
        for (const double coordinate : {0.0, largest_coordinate}) {
            CRESCENDO_VALIDATE(std::isfinite(std::get<double>(value_at(d, coordinate))), key,
                               "some values would be too large to represent; use a smaller mu or sigma, or a larger q");
        }
    }
    void shape(double a, double b) const {
        for (const double each : {a, b}) {
            CRESCENDO_VALIDATE(each >= least_shape && each <= largest_shape, key,
                               "a is {} and b is {} (a beta distribution takes two positive numbers); use 0.001 to "
                               "100000",
                               a, b);
        }
    }
    void probabilities(const Categorical& d) const {
        CRESCENDO_VALIDATE(d.probabilities.size() == d.values.size(), key,
                           "there are {} probabilities for {} values (each value needs one); list one for each value",
                           d.probabilities.size(), d.values.size());
        double sum = 0;
        for (const double each : d.probabilities) {
            CRESCENDO_VALIDATE(each >= 0, key, "{} is among the probabilities (none can be below 0); use 0 to 1", each);
            sum += each;
        }
        const auto shown = in_full(std::round(sum * 1e9) / 1e9);  // 0.3 + 0.6 is not quite 0.9
        CRESCENDO_VALIDATE(std::abs(sum - 1) <= probability_tolerance, key,
                           "the probabilities add up to {} (they must add up to 1, because one value is always "
                           "chosen); divide each of them by {}",
                           shown, shown);
    }
};

}  // namespace

void check(const Distribution& distribution, const std::string& key) { std::visit(Check{key}, distribution); }

}  // namespace crescendo
