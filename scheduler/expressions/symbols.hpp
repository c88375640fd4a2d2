#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/value.hpp"
#include "scheduler/expressions/type.hpp"

namespace crescendo {

/// What an expression knows of a name.
struct Symbol {
    std::size_t index;            ///< its place in the values that an expression is evaluated with
    Type type;                    ///< the type of its values
    std::vector<Value> values{};  ///< all that it can have, if they are few
};

/// What the names in an expression mean.
using Symbols = std::map<std::string, Symbol, std::less<>>;

}  // namespace crescendo
