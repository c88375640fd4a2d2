#include "scheduler/expressions/token.hpp"

#include "tests/scheduler/expressions/evaluate.hpp"

using namespace crescendo;
using namespace crescendo::tests;

TEST_CASE("names may contain dots, and any other characters in backticks") {
    const auto tokens = tokenize("a.b_2 `learning rate-1` min (x)");

    CHECK(tokens[0].kind == Token::Kind::name);
    CHECK(tokens[0].text == "a.b_2");
    CHECK(tokens[1].kind == Token::Kind::name);
    CHECK(tokens[1].text == "learning rate-1");
    CHECK(tokens[1].offset == 6);
    CHECK(tokens[2].kind == Token::Kind::function);
    CHECK(tokens.back().kind == Token::Kind::end);
    CHECK(tokens.back().offset == 31);
}

TEST_CASE("literals keep their type") {
    CHECK(value_of("12") == Value{std::int64_t{12}});
    CHECK(value_of("12.") == Value{12.0});
    CHECK(value_of(".5") == Value{0.5});
    CHECK(value_of("1e-4") == Value{1e-4});
    CHECK(value_of("2E+3") == Value{2000.0});
    CHECK(value_of("True") == Value{true});
    CHECK(value_of("false") == Value{false});
    CHECK(value_of("9223372036854775807") == Value{std::int64_t{9223372036854775807}});
}

TEST_CASE("text is in single or double quotes, and a backslash escapes quotes and itself") {
    CHECK(value_of("'a\"b'") == Value{std::string("a\"b")});
    CHECK(value_of(R"("it\"s")") == Value{std::string("it\"s")});
    CHECK(value_of(R"('a\\b\n')") == Value{std::string(R"(a\b\n)")});
    CHECK(value_of("''") == Value{std::string()});
    CHECK(value_of("'Übung'") == Value{std::string("Übung")});
}

TEST_CASE("an invalid token is refused at its character") {
    CHECK(error_of("seven # 3") ==
          "6: '#' has no meaning here; put text in quotes, and names with other characters than letters, digits, _ and "
          ". in backticks");
    CHECK(error_of("seven == ü").starts_with("9: 'ü' has no meaning here"));
    CHECK(error_of("flag && flag") == "5: '&&' has no meaning here; write and");
    CHECK(error_of("flag || flag") == "5: '||' has no meaning here; write or");
    CHECK(error_of("seven = 7") == "6: '=' has no meaning here; write ==");
    CHECK(error_of("!flag") == "0: '!' has no meaning here; write not");
    CHECK(error_of("2^3") == "1: '^' has no meaning here; write **");
    CHECK(error_of("1 + 'abc") == "4: this text has no end; close it with '");
    CHECK(error_of("'abc\\'") == "0: this text has no end; close it with '");
    CHECK(error_of("`abc") == "0: this name has no end; close it with `");
    CHECK(error_of("1 + 2x").starts_with("4: '2x' is neither a number nor a name"));
    CHECK(error_of("1.2.3").starts_with("0: '1.2.3' is neither"));
    CHECK(error_of("0x10").starts_with("0: '0x10' is neither"));
    CHECK(error_of("9223372036854775808").starts_with("0: 9223372036854775808 does not fit into 64 bits"));
    CHECK(error_of("1 < 1e999").starts_with("4: 1e999 does not fit"));
}

TEST_CASE("an expression has a maximum length") {
    const auto longest = "1" + std::string(3999, ' ');

    CHECK(error_of(longest).empty());
    CHECK(error_of(longest + " ").starts_with("4000: the expression has 4001 characters"));
}
