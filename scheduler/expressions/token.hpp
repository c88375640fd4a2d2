#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/value.hpp"

namespace crescendo {

/// One word or sign of an expression.
struct Token {
    enum class Kind {
        name,      ///< a parameter, also in backticks, which are not part of `text`
        function,  ///< a name before an opening parenthesis
        literal,   ///< a number, a text, true or false
        sign,      ///< an operator, a bracket, a comma, or one of the words and, or, not, in, if, else
        end,       ///< after the last character
    };

    Kind kind;
    std::string text;    ///< for a name, a function or a sign
    Value value;         ///< for a literal
    std::size_t offset;  ///< bytes of the expression before the token

    bool is(std::string_view sign) const { return kind == Kind::sign && text == sign; }
};

/// The words and signs of an expression; the last one has the kind `end`. Throws ExpressionError for text that is
/// neither, and for an expression of more than 4,000 bytes.
std::vector<Token> tokenize(std::string_view text);

}  // namespace crescendo
