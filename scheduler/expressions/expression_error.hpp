#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "core/check.hpp"

namespace crescendo {

/// An expression cannot be read, or has no result in some configuration.
class ExpressionError : public InvalidInput {
  public:
    /// `offset` counts the bytes of the expression before the character that is meant.
    ExpressionError(const std::string& message, std::size_t offset, std::string key = {})
        : InvalidInput(message, std::move(key)), offset_(offset) {}

    std::size_t offset() const { return offset_; }

  private:
    std::size_t offset_;
};

/// A name in an expression means nothing.
class UnknownName : public ExpressionError {
  public:
    UnknownName(std::string name, std::size_t offset)
        : ExpressionError(text("there is no '{}'", name), offset), name_(std::move(name)) {}

    const std::string& name() const { return name_; }

  private:
    std::string name_;
};

}  // namespace crescendo
