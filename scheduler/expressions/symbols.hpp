#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/value.hpp"
#include "scheduler/expressions/type.hpp"

namespace crescendo {

/// What an expression knows about a name.
struct Symbol {
    std::size_t index;            ///< index into the values that an expression is evaluated with
    Type type;                    ///< the type of its values
    std::vector<Value> values{};  ///< all values that it can have, if there are few; else empty
};

/// What the names in an expression mean.
using Symbols = std::map<std::string, Symbol, std::less<>>;

}  // namespace crescendo
