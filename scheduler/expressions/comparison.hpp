#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "scheduler/expressions/node.hpp"

namespace crescendo {

/// Whether two values are equal. Whole and floating-point numbers are equal if their values are; values of otherwise
/// different types are never equal.
bool are_equal(const Datum& left, const Datum& right);

/// `left sign right` for == != < <= > >=. Throws ExpressionError if the types can never be equal, or have no order.
NodePtr make_comparison(std::string_view sign, NodePtr left, NodePtr right, std::size_t offset);

/// `left in [items…]`. Throws ExpressionError if one of the items can never equal `left`.
NodePtr make_membership(NodePtr left, std::vector<NodePtr> items, std::size_t offset);

}  // namespace crescendo
