#pragma once

#include <string_view>

#include "scheduler/expressions/node.hpp"
#include "scheduler/expressions/symbols.hpp"

namespace crescendo {

/// Reads an expression. Throws ExpressionError at the character where it makes no sense: a misplaced word, an unknown
/// name, types that do not match, a comparison that is never true, or nesting of more than 50.
NodePtr parse_expression(std::string_view text, const Symbols& symbols);

}  // namespace crescendo
