#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/random.hpp"
#include "core/value.hpp"

namespace crescendo {

// The distributions of the W&B sweep dialect, by its names. Its other distributions are special cases of these: a
// `log_uniform` with the exponents [min, max] is a `log_uniform_values` in [e^min, e^max], and an inverse log-uniform
// number is log-uniform too.

/// `uniform`: [min, max).
struct Uniform {
    double min, max;
};

/// `log_uniform_values`: log(x) is uniform, 0 < min.
struct LogUniformValues {
    double min, max;
};

/// `int_uniform`: both ends included.
struct IntUniform {
    std::int64_t min, max;
};

/// `q_uniform`: round(x / q) * q of a uniform x, among the multiples of q in [min, max].
struct QUniform {
    double min, max, q;
};

/// `q_log_uniform_values`: round(x / q) * q of a log-uniform x, among the multiples of q in [min, max].
struct QLogUniformValues {
    double min, max, q;
};

/// `normal`: with mean mu and standard deviation sigma.
struct Normal {
    double mu, sigma;
};

/// `q_normal`: round(x / q) * q of a normal x.
struct QNormal {
    double mu, sigma, q;
};

/// `log_normal`: log(x) is normal with mean mu and standard deviation sigma.
struct LogNormal {
    double mu, sigma;
};

/// `q_log_normal`: round(x / q) * q of a log-normal x.
struct QLogNormal {
    double mu, sigma, q;
};

/// `beta`: in (0, 1), with a density proportional to x^(a-1) * (1-x)^(b-1).
struct Beta {
    double a, b;
};

/// `q_beta`: round(x / q) * q of a beta-distributed x.
struct QBeta {
    double a, b, q;
};

/// `categorical`: one of the values.
struct Categorical {
    std::vector<Value> values;
    std::vector<double> probabilities{};  ///< one for each value; none: each value is equally likely
};

/// `constant`: always the same value.
struct Constant {
    Value value;
};

using Distribution = std::variant<Uniform, LogUniformValues, IntUniform, QUniform, QLogUniformValues, Normal, QNormal,
                                  LogNormal, QLogNormal, Beta, QBeta, Categorical, Constant>;

/// Throws InvalidInput with `key` if no values can be drawn: for a range that is empty or not finite, a logarithmic
/// range that is not positive, q <= 0, no multiple of q in the range, sigma <= 0, values beyond the largest double, an
/// a or b outside of [1e-3, 1e5], no values, or probabilities that do not match the values or do not add up to 1.
void check(const Distribution& distribution, const std::string& key);

/// Whether there is only one value, and so nothing to choose. A list of one value counts as a choice.
bool is_constant(const Distribution& distribution);

/// The value at a coordinate in [0, 1): the quantile function. Numbers grow with the coordinate, and categories keep
/// their order.
Value value_at(const Distribution& distribution, double coordinate);

/// The coordinate of a value: value_at() gives the value there, up to rounding. If several coordinates give the value,
/// their middle. A number out of range has the coordinate of the nearest end. Nothing for a value of another kind than
/// the distribution's, or one that is not among its categories.
std::optional<double> coordinate_of(const Distribution& distribution, const Value& value);

/// The first and last coordinates that give the same number as `coordinate`. Both are `coordinate` if no others do, or
/// if the value is not a number.
std::pair<double, double> cell_at(const Distribution& distribution, double coordinate);

/// The coordinates of all listed values, for lookups: there may be thousands.
std::map<Value, double> coordinates_of(const Categorical& distribution);

/// A random value. Like value_at() of a random coordinate, but whole numbers and equally likely categories are drawn
/// from 64 bits instead of a coordinate's 53.
Value draw(const Distribution& distribution, CounterRandom& random);

}  // namespace crescendo
