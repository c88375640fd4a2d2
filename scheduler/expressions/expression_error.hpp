#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "core/check.hpp"

namespace crescendo {

/// An expression cannot be read, or has no result in some configuration.
class ExpressionError : public InvalidInput {
  public:
    /// `offset`: bytes of the expression before the offending character.
    ExpressionError(const std::string& message, std::size_t offset, std::string key = {})
        : InvalidInput(message, std::move(key)), offset_(offset) {}

    std::size_t offset() const { return offset_; }

    /// The unknown name, if that is the error; else empty. Callers may suggest a name that is similar to it.
    const std::string& unknown_name() const { return unknown_name_; }

    /// The error for a name that is unknown.
    static ExpressionError unknown(const std::string& name, std::size_t offset) {
        ExpressionError error(text("there is no {}; put text in quotes", name), offset);
        error.unknown_name_ = name;
        return error;
    }

    /// The same error, with the key of the expression.
    ExpressionError at(std::string key) const {
        ExpressionError error(what(), offset_, std::move(key));
        error.unknown_name_ = unknown_name_;
        return error;
    }

  private:
    std::size_t offset_;
    std::string unknown_name_;
};

}  // namespace crescendo
