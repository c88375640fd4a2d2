#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scheduler/expressions/node.hpp"
#include "scheduler/expressions/symbols.hpp"

namespace crescendo {

/// A value written in the expression.
class Literal : public Node {
  public:
    Literal(Value value, std::size_t offset);

    Datum evaluate(std::span<const Datum>) const override { return to_datum(value_); }

    const Value& value() const { return value_; }

  private:
    Value value_;
};

/// A name, which stands for one of the values that the expression is evaluated with.
class Reference : public Node {
  public:
    Reference(std::string name, const Symbol& symbol, std::size_t offset);

    Datum evaluate(std::span<const Datum> values) const override { return values[index_]; }

    const std::string& name() const { return name_; }
    const std::vector<Value>& choices() const { return choices_; }

  private:
    std::string name_;
    std::size_t index_;
    std::vector<Value> choices_;
};

/// Throws ExpressionError if `left` is a name and `right` a value that it never has: then one of them is misspelled.
void check_choice(const Node& left, const Node& right);

}  // namespace crescendo
