#pragma once

#include <span>
#include <string>
#include <vector>

#include "scheduler/expressions/node.hpp"
#include "scheduler/expressions/symbols.hpp"
#include "scheduler/expressions/token.hpp"

namespace crescendo {

/// A formula over named values, such as `width * depth <= 4096`. It is read and type-checked once, and evaluated often.
/// It has no side effects. docs/search-space.md describes the language.
class Expression {
  public:
    /// Throws ExpressionError, with the offset of the character, if `text` makes no sense.
    Expression(std::string text, const Symbols& symbols);

    const std::string& text() const { return text_; }
    Type type() const { return root_->type(); }

    /// The result if the name with Symbol::index i has the value values[i]; absent if it depends on an absent value. A
    /// text in the result is a view into `values` or the expression. Throws ExpressionError if there is no result, as
    /// for 1 / 0.
    Datum evaluate(std::span<const Datum> values) const { return root_->evaluate(values); }

  private:
    std::string text_;
    NodePtr root_;
};

/// The names in an expression, each as often as it occurs, known or not. Throws ExpressionError for text that is not a
/// word of the language.
std::vector<Token> names_in(const std::string& text);

}  // namespace crescendo
