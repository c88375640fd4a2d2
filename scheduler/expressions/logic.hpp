#pragma once

#include <cstddef>

#include "scheduler/expressions/node.hpp"

namespace crescendo {

// A condition has three results: true, false, and nothing, if it depends on an absent value. Results combine as in SQL:
// `false and nothing` is false, `true or nothing` is true, and any other combination with nothing is nothing. All these
// functions throw ExpressionError unless the type of each condition is boolean.

/// `left and right`: `right` is not evaluated if `left` is false.
NodePtr make_and(NodePtr left, NodePtr right, std::size_t offset);

/// `left or right`: `right` is not evaluated if `left` is true.
NodePtr make_or(NodePtr left, NodePtr right, std::size_t offset);

/// `not operand`
NodePtr make_not(NodePtr operand, std::size_t offset);

/// `yes if condition else no`: only the one that is chosen is evaluated.
NodePtr make_choice(NodePtr yes, NodePtr condition, NodePtr no, std::size_t offset);

}  // namespace crescendo
