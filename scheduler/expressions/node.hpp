#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "scheduler/expressions/expression_error.hpp"
#include "scheduler/expressions/type.hpp"

namespace crescendo {

/// One part of an expression: a literal, a name, or an operation on other parts. It never changes, so that copies of an
/// expression share it.
class Node {
  public:
    Node(Type type, std::size_t offset) : type_(type), offset_(offset) {}
    virtual ~Node() = default;
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    /// The type of all that evaluate() gives.
    Type type() const { return type_; }

    /// Where messages about this part point at: bytes of the expression before it.
    std::size_t offset() const { return offset_; }

    /// The result if the names have these values. Throws ExpressionError if there is none, such as 1 / 0.
    virtual Datum evaluate(std::span<const Datum> values) const = 0;

    [[noreturn]] void fail(const std::string& message) const { throw ExpressionError(message, offset_); }

    /// `x`, which must be finite.
    double finite(double x) const;

  private:
    Type type_;
    std::size_t offset_;
};

using NodePtr = std::shared_ptr<const Node>;

/// `node`, with whole numbers as floating-point numbers.
NodePtr widened(NodePtr node);

}  // namespace crescendo
