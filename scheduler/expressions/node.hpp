#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "scheduler/expressions/expression_error.hpp"
#include "scheduler/expressions/type.hpp"

namespace crescendo {

/// One part of an expression: a literal, a name, or an operation on other parts. It never changes, so copies of an
/// expression can share it.
class Node {
  public:
    Node(Type type, std::size_t offset) : type_(type), offset_(offset) {}
    virtual ~Node() = default;
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    /// The type of every result of evaluate().
    Type type() const { return type_; }

    /// Where messages about this part point to: bytes of the expression before it.
    std::size_t offset() const { return offset_; }

    /// The result if the names have these values. Throws ExpressionError if there is none, as for 1 / 0.
    virtual Datum evaluate(std::span<const Datum> values) const = 0;

    [[noreturn]] void fail(const std::string& message) const { throw ExpressionError(message, offset_); }

    /// Returns `x`. Throws ExpressionError if it is not finite.
    double finite(double x) const;

  private:
    Type type_;
    std::size_t offset_;
};

using NodePtr = std::shared_ptr<const Node>;

/// `node` with its whole numbers converted to floating point.
NodePtr widened(NodePtr node);

}  // namespace crescendo
