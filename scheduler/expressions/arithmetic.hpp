#pragma once

#include <cstddef>
#include <string_view>

#include "scheduler/expressions/node.hpp"

namespace crescendo {

/// `left sign right` for + - * / // % **. Two whole numbers give a whole number, except with / and **; `//` rounds
/// down, and `%` has the sign of `right`, as in Python. Throws ExpressionError unless both are numbers. Evaluating the
/// result throws ExpressionError on overflow, on a division by zero, and if the result is not a real number.
NodePtr make_arithmetic(std::string_view sign, NodePtr left, NodePtr right, std::size_t offset);

/// `-operand`
NodePtr make_negative(NodePtr operand, std::size_t offset);

/// x to the power of y, as a number. Throws ExpressionError at `node` if there is no such number.
double power(double x, double y, const Node& node);

}  // namespace crescendo
