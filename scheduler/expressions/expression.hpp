#pragma once

#include <span>
#include <string>
#include <vector>

#include "scheduler/expressions/node.hpp"
#include "scheduler/expressions/symbols.hpp"
#include "scheduler/expressions/token.hpp"

namespace crescendo {

/// A formula over named values, such as `width * depth <= 4096`: read once, with its types; evaluated often. It has no
/// side effects. docs/search-space.md has the language.
class Expression {
  public:
    /// Throws ExpressionError, with the character, if `text` makes no sense.
    Expression(std::string text, const Symbols& symbols);

    const std::string& text() const { return text_; }
    Type type() const { return root_->type(); }

    /// The result where the name of Symbol::index i has values[i]: absent if it depends on an absent one. Its text
    /// belongs to `values` or to the expression. Throws ExpressionError if there is none, such as 1 / 0.
    Datum evaluate(std::span<const Datum> values) const { return root_->evaluate(values); }

  private:
    std::string text_;
    NodePtr root_;
};

/// The names in an expression, each as often as it is there, whatever they mean. Throws ExpressionError on what is no
/// word of the language.
std::vector<Token> names_in(const std::string& text);

}  // namespace crescendo
