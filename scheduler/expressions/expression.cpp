#include "scheduler/expressions/expression.hpp"

#include <utility>

#include "scheduler/expressions/parser.hpp"

namespace crescendo {

Expression::Expression(std::string text, const Symbols& symbols)
    : text_(std::move(text)), root_(parse_expression(text_, symbols)) {}

std::vector<Token> names_in(const std::string& text) {
    auto tokens = tokenize(text);
    std::erase_if(tokens, [](const Token& token) { return token.kind != Token::Kind::name; });
    return tokens;
}

}  // namespace crescendo
