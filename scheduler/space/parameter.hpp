#pragma once

#include <string>
#include <utility>

#include "scheduler/space/distribution.hpp"

namespace crescendo {

/// One parameter of a sweep.
struct Parameter {
    std::string name;
    Distribution distribution;
    std::string when{};        ///< an expression: the parameter is absent unless it is true; empty: always present
    std::string expression{};  ///< the value, computed from other parameters; `distribution` is any constant then

    bool is_derived() const { return !expression.empty(); }
};

/// A parameter whose value is computed from others.
inline Parameter derived_parameter(std::string name, std::string expression, std::string when = {}) {
    return {std::move(name), Constant{false}, std::move(when), std::move(expression)};
}

}  // namespace crescendo
