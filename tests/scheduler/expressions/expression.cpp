#include "scheduler/expressions/expression.hpp"

#include <cmath>

#include "core/random.hpp"
#include "tests/sanitized.hpp"
#include "tests/scheduler/expressions/evaluate.hpp"

using namespace crescendo;
using namespace crescendo::tests;

namespace {

/// Words and signs. Some sequences of them are valid expressions.
const std::vector<std::string> words{
    "seven", "half",  "optimizer", "flag", "absent", "`net.layer-1`", "anything", "unknown", "1",      "0",    "2.5",
    "1e300", "'sgd'", "\"x\"",     "true", "(",      ")",             "[",        "]",       ",",      "+",    "-",
    "*",     "/",     "//",        "%",    "**",     "==",            "!=",       "<",       ">=",     "and",  "or",
    "not",   "in",    "if",        "else", "sqrt(",  "log(",          "max(",     "int(",    "round(", "min(", "'",
    "`",     "\\",    "&&",        "=",    "\xc3",   "9223372036854775807"};

std::string noise(CounterRandom& random) {
    std::string text;
    for (auto length = random.below(40); length > 0; --length) {
        text += static_cast<char>(random.below(256));
    }
    return text;
}

std::string sequence_of_words(CounterRandom& random) {
    std::string text;
    for (auto length = random.below(30); length > 0; --length) {
        text += words[random.below(words.size())] + (random.below(4) == 0 ? "" : " ");
    }
    return text;
}

/// A syntactically valid expression: a number or a condition.
std::string sentence(CounterRandom& random, bool is_condition, int depth) {
    const auto part = [&](bool condition) { return sentence(random, condition, depth - 1); };
    const auto one_of = [&](std::initializer_list<const char*> texts) {
        return std::string(texts.begin()[random.below(texts.size())]);
    };
    if (depth == 0) {
        return is_condition ? one_of({"flag", "optimizer == 'sgd'", "absent > 1", "true"})
                            : one_of({"seven", "minus_two", "half", "absent", "3", "0", "1e200", "0.1"});
    }
    const auto joined = [&](const std::string& left, const std::string& sign, const std::string& right) {
        return "(" + left + " " + sign + " " + right + ")";
    };
    if (random.below(8) == 0) {
        return "(" + part(is_condition) + " if " + part(true) + " else " + part(is_condition) + ")";
    }
    if (is_condition) {
        return random.below(2) == 0 ? joined(part(true), one_of({"and", "or", "and not"}), part(true))
                                    : joined(part(false), one_of({"==", "!=", "<", "<=", ">", ">="}), part(false));
    }
    return random.below(3) == 0
               ? one_of({"sqrt", "log", "exp", "abs", "floor", "ceil", "round", "int"}) + "(" + part(false) + ")"
               : joined(part(false), one_of({"+", "-", "*", "/", "//", "%", "**"}), part(false));
}

/// Whether an expression of that type may give `datum`.
bool fits(const Datum& datum, Type type) {
    switch (type) {
        case Type::boolean:
            return is_absent(datum) || std::holds_alternative<bool>(datum);
        case Type::whole:
            return is_absent(datum) || std::holds_alternative<std::int64_t>(datum);
        case Type::number:
            return is_absent(datum) || std::isfinite(std::get<double>(datum));
        case Type::text:
            return is_absent(datum) || std::holds_alternative<std::string_view>(datum);
        case Type::mixed:
            return true;
    }
    return false;
}

/// Whether a text is an expression with a result of its type. Anything other than an error at one of its characters is
/// a bug.
bool is_sound(const std::string& text) {
    try {
        const Expression expression(text, symbols());
        const auto first = expression.evaluate(values());
        REQUIRE_MESSAGE(fits(first, expression.type()), text);
        REQUIRE(Expression(expression).evaluate(values()) == first);
        return true;
    } catch (const ExpressionError& error) {
        REQUIRE_MESSAGE(error.offset() <= text.size(), text);
        return false;
    }
}

}  // namespace

TEST_CASE("an expression knows its text and its type") {
    const Expression expression("seven * 2", symbols());

    CHECK(expression.text() == "seven * 2");
    CHECK(expression.type() == Type::whole);
    CHECK(Expression("seven * half", symbols()).type() == Type::number);
    CHECK(Expression("flag", symbols()).type() == Type::boolean);
    CHECK(Expression("optimizer", symbols()).type() == Type::text);
}

TEST_CASE("the names in an expression can be listed before their meanings are known") {
    std::vector<std::string> names;
    for (const auto& token : names_in("a + max(b, `c d`) == 'e' and a")) {
        names.push_back(token.text);
    }

    CHECK(names == std::vector<std::string>{"a", "b", "c d", "a"});
    CHECK_THROWS_AS(names_in("a ? b"), ExpressionError);
}

TEST_CASE("any text is either an expression or an error at one of its characters") {
    std::uint64_t sound = 0;
    for (std::uint64_t seed = 0; seed < seeds(60'000); ++seed) {
        CounterRandom random(seed, 0);
        sound += is_sound(noise(random));
        sound += is_sound(sequence_of_words(random));
    }

    CHECK(sound > seeds(60'000) / 120);  // otherwise the words would test nothing
}

TEST_CASE("a syntactically valid expression has a result of its type or an error") {
    std::uint64_t sound = 0;
    for (std::uint64_t seed = 0; seed < seeds(30'000); ++seed) {
        CounterRandom random(seed, 0);
        sound += is_sound(sentence(random, seed % 2 == 0, static_cast<int>(1 + seed % 5)));
    }

    CHECK(sound > seeds(30'000) / 3);
}
