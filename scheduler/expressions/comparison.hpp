#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "scheduler/expressions/node.hpp"

namespace crescendo {

/// Numbers are equal if their values are, whole or not; values of other types that differ are not.
bool are_equal(const Datum& left, const Datum& right);

/// `left sign right` for == != < <= > >=. Throws ExpressionError if the types are such that they are never equal, or
/// have no order.
NodePtr make_comparison(std::string_view sign, NodePtr left, NodePtr right, std::size_t offset);

/// `left in [items…]`. Throws ExpressionError if one of them could never equal `left`.
NodePtr make_membership(NodePtr left, std::vector<NodePtr> items, std::size_t offset);

}  // namespace crescendo
