#include "scheduler/expressions/parser.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "scheduler/expressions/arithmetic.hpp"
#include "scheduler/expressions/comparison.hpp"
#include "scheduler/expressions/functions.hpp"
#include "scheduler/expressions/leaves.hpp"
#include "scheduler/expressions/logic.hpp"
#include "scheduler/expressions/token.hpp"

namespace crescendo {
namespace {

constexpr int most_depth = 50;

/// A recursive-descent parser: one function for each level of precedence, the weakest first, as in Python.
class Parser {
  public:
    Parser(std::string_view text, const Symbols& symbols) : tokens_(tokenize(text)), symbols_(symbols) {}

    NodePtr parse() {
        auto node = choice();
        if (peek().kind != Token::Kind::end) {
            fail_here("two values are next to each other here; put an operator between them, such as and, + or ==");
        }
        return node;
    }

  private:
    const Token& peek() const { return tokens_[at_]; }

    /// The next token, if it is one of these signs.
    const Token* take(std::initializer_list<std::string_view> signs) {
        const bool is_there = std::any_of(signs.begin(), signs.end(), [&](auto sign) { return peek().is(sign); });
        return is_there ? &tokens_[at_++] : nullptr;
    }

    const Token* take_comparison() { return take({"==", "!=", "<", "<=", ">", ">="}); }

    void require(std::string_view sign) {
        if (take({sign}) == nullptr) {
            fail_here(text("'{}' is missing here; add it", sign));
        }
    }

    [[noreturn]] void fail_here(const std::string& message) const { throw ExpressionError(message, peek().offset); }

    NodePtr choice() {
        auto node = disjunction();
        if (const auto* sign = take({"if"})) {
            auto condition = disjunction();
            require("else");
            return make_choice(std::move(node), std::move(condition), nested(&Parser::choice), sign->offset);
        }
        return node;
    }

    NodePtr disjunction() {
        auto node = conjunction();
        while (const auto* sign = take({"or"})) {
            node = make_or(std::move(node), conjunction(), sign->offset);
        }
        return node;
    }

    NodePtr conjunction() {
        auto node = negation();
        while (const auto* sign = take({"and"})) {
            node = make_and(std::move(node), negation(), sign->offset);
        }
        return node;
    }

    NodePtr negation() {
        if (const auto* sign = take({"not"})) {
            return make_not(nested(&Parser::negation), sign->offset);
        }
        return comparison();
    }

    NodePtr comparison() {
        auto node = sum();
        if (const auto* sign = take({"not"})) {
            require("in");
            node = make_not(membership(node, sign->offset), sign->offset);
        } else if (const auto* in = take({"in"})) {
            node = membership(node, in->offset);
        } else if (const auto* compared = take_comparison()) {
            const auto left = std::move(node);
            const auto right = sum();
            node = make_comparison(compared->text, left, right, compared->offset);
            if (compared->is("==") || compared->is("!=")) {
                check_choice(*left, *right);
                check_choice(*right, *left);
            }
        }
        if (take_comparison() != nullptr || take({"in"}) != nullptr) {
            --at_;
            fail_here("two comparisons in a row; write a < b and b < c");
        }
        return node;
    }

    NodePtr membership(const NodePtr& left, std::size_t offset) {
        require("[");
        std::vector<NodePtr> items;
        do {
            items.push_back(nested(&Parser::choice));
        } while (take({","}) != nullptr);
        require("]");
        auto node = make_membership(left, items, offset);
        for (const auto& item : items) {
            check_choice(*left, *item);
        }
        return node;
    }

    NodePtr sum() {
        auto node = product();
        while (const auto* sign = take({"+", "-"})) {
            node = make_arithmetic(sign->text, std::move(node), product(), sign->offset);
        }
        return node;
    }

    NodePtr product() {
        auto node = signed_value();
        while (const auto* sign = take({"*", "/", "//", "%"})) {
            node = make_arithmetic(sign->text, std::move(node), signed_value(), sign->offset);
        }
        return node;
    }

    NodePtr signed_value() {
        if (const auto* sign = take({"-"})) {
            return make_negative(nested(&Parser::signed_value), sign->offset);
        }
        auto node = value();
        if (const auto* sign = take({"**"})) {
            return make_arithmetic(sign->text, std::move(node), nested(&Parser::signed_value), sign->offset);
        }
        return node;
    }

    NodePtr value() {
        const auto& token = peek();
        if (token.kind == Token::Kind::literal) {
            ++at_;
            return std::make_shared<Literal>(token.value, token.offset);
        }
        if (token.kind == Token::Kind::name) {
            return reference();
        }
        if (token.kind == Token::Kind::function) {
            return call();
        }
        if (take({"("}) != nullptr) {
            auto node = nested(&Parser::choice);
            require(")");
            return node;
        }
        if (token.kind == Token::Kind::end) {
            fail_here("a value is missing at the end; add it, or remove what comes before it");
        }
        fail_here(text("'{}' is not a value; write a name, a number, or text in quotes", token.text));
    }

    NodePtr reference() {
        const auto& token = tokens_[at_++];
        const auto found = symbols_.find(token.text);
        if (found == symbols_.end()) {
            throw ExpressionError::unknown(token.text, token.offset);
        }
        return std::make_shared<Reference>(token.text, found->second, token.offset);
    }

    NodePtr call() {
        const auto& token = tokens_[at_++];
        require("(");
        std::vector<NodePtr> arguments;
        while (!peek().is(")")) {
            arguments.push_back(nested(&Parser::choice));
            if (take({","}) == nullptr) {
                break;
            }
        }
        require(")");
        return make_call(token.text, std::move(arguments), token.offset);
    }

    /// Calls `read` one level of nesting deeper.
    NodePtr nested(NodePtr (Parser::*read)()) {
        if (++depth_ > most_depth) {
            fail_here(
                text("the expression is nested more than {} levels deep; write it with fewer parentheses", most_depth));
        }
        auto node = (this->*read)();
        --depth_;
        return node;
    }

    std::vector<Token> tokens_;
    const Symbols& symbols_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

NodePtr parse_expression(std::string_view text, const Symbols& symbols) { return Parser(text, symbols).parse(); }

}  // namespace crescendo
