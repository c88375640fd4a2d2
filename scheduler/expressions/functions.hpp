#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scheduler/expressions/node.hpp"

namespace crescendo {

/// `name(arguments…)`. Throws ExpressionError if there is no such function, or if it takes other arguments.
NodePtr make_call(const std::string& name, std::vector<NodePtr> arguments, std::size_t offset);

}  // namespace crescendo
