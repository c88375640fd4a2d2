#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/random.hpp"
#include "core/value.hpp"

namespace crescendo {

// The distributions of the W&B sweep dialect, by its names.

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

/// `categorical`: each value equally likely.
struct Categorical {
    std::vector<Value> values;
};

/// `constant`: always the same value.
struct Constant {
    Value value;
};

using Distribution =
    std::variant<Uniform, LogUniformValues, IntUniform, QUniform, QLogUniformValues, Categorical, Constant>;

struct Parameter {
    std::string name;
    Distribution distribution;
};

/// The parameters of a sweep, in the order of its file.
class SearchSpace {
  public:
    SearchSpace() = default;

    /// Throws InvalidInput (key "parameters.<name>") on an empty range, a log-uniform range that
    /// is not positive, q <= 0, no multiple of q in the range, no values, a name given twice, or a
    /// range that is not finite.
    explicit SearchSpace(std::vector<Parameter> parameters);

    const std::vector<Parameter>& parameters() const { return parameters_; }

    /// Number of parameters that can vary: all but constants.
    int num_dimensions() const;

    /// The configuration at a point of the unit cube [0, 1)^num_dimensions(). Each coordinate chooses the value of one
    /// parameter, in their order; numbers grow with it. Uniform points give configurations distributed as the
    /// parameters say. So samplers choose points, and know no distribution.
    Config at(const std::vector<double>& point) const;

    /// A random configuration. Like at() of a random point, but whole numbers and choices are drawn from 64 bits
    /// instead of a coordinate's 53. A parameter added at the end leaves the values of the others as they were.
    Config sample(CounterRandom random) const;

    /// `config` with its values in the order of the parameters. Throws InvalidInput (key "config") unless it has every
    /// parameter once and nothing else.
    Config in_order(const Config& config) const;

  private:
    std::vector<Parameter> parameters_;
};

}  // namespace crescendo
