#pragma once

#include <string>
#include <vector>

#include "core/random.hpp"
#include "core/value.hpp"
#include "scheduler/space/distribution.hpp"

namespace crescendo {

struct Parameter {
    std::string name;
    Distribution distribution;
};

/// The parameters of a sweep, in the order of its file.
class SearchSpace {
  public:
    SearchSpace() = default;

    /// Throws InvalidInput (key "parameters.<name>") on a name given twice, and where check() does.
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
