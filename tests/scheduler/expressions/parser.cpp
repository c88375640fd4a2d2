#include "scheduler/expressions/parser.hpp"

#include "tests/scheduler/expressions/evaluate.hpp"

using namespace crescendo;
using namespace crescendo::tests;

TEST_CASE("operators bind as in Python") {
    CHECK(whole("1 + 2 * 3") == 7);
    CHECK(whole("(1 + 2) * 3") == 9);
    CHECK(whole("10 - 2 - 3") == 5);
    CHECK(number("8 / 2 / 2") == 2);
    CHECK(number("2 ** 3 ** 2") == 512);
    CHECK(number("-2 ** 2") == -4);
    CHECK(number("2 ** -1") == 0.5);
    CHECK(whole("--seven") == 7);
    CHECK(whole("7 % 4 * 2") == 6);
    CHECK(holds("not flag or flag"));
    CHECK(holds("flag or flag and not flag"));
    CHECK(holds("not 1 > 2 and 3 == 3"));
    CHECK(holds("1 + 1 == 2 and 2 * 2 in [4]"));
    CHECK(whole("2 if 1 > 2 or flag else 3") == 2);
}

TEST_CASE("names may have dots, dashes and the words of functions") {
    const Symbols odd{{"min", {0, Type::whole}}, {"in", {0, Type::whole}}};

    CHECK(whole("net.width + `net.layer-1`") == 14);
    CHECK(Expression("min + `in` + min(min, 1)", odd).evaluate(values()) == Datum{std::int64_t{15}});
}

TEST_CASE("an unknown name is refused at its character") {
    CHECK(error_of("1 + widht * 2") == "4: there is no widht; put text in quotes");
    try {
        Expression("1 + widht", symbols());
        FAIL("accepted");
    } catch (const ExpressionError& error) {
        CHECK(error.unknown_name() == "widht");
        CHECK(error.at("lr").unknown_name() == "widht");
        CHECK(error.at("lr").key() == "lr");
    }
}

TEST_CASE("a word out of place is refused at its character") {
    CHECK(error_of("") == "0: a value is missing at the end; add it, or remove what comes before it");
    CHECK(error_of("1 +") == "3: a value is missing at the end; add it, or remove what comes before it");
    CHECK(error_of("(1 + 2") == "6: ')' is missing here; add it");
    CHECK(error_of("seven in (1, 2)") == "9: '[' is missing here; add it");
    CHECK(error_of("seven in [1, 2") == "14: ']' is missing here; add it");
    CHECK(error_of("seven not [1]") == "10: 'in' is missing here; add it");
    CHECK(error_of("1 if flag").starts_with("9: 'else' is missing"));
    CHECK(error_of("seven in []").starts_with("10: ']' is not a value"));
    CHECK(error_of("1 2") ==
          "2: two values are next to each other here; put an operator between them, such as and, + or ==");
    CHECK(error_of("1)").starts_with("1: "));
    CHECK(error_of("* 2").starts_with("0: '*' is not a value"));
    CHECK(error_of("1 < 2 < 3") == "6: two comparisons in a row; write a < b and b < c");
    CHECK(error_of("flag == true in [true]").starts_with("13: two comparisons in a row"));
    CHECK(error_of("max(1, 2").starts_with("8: ')' is missing"));
    CHECK(error_of("max(1 2)").starts_with("6: ')' is missing"));
    CHECK(error_of("max(1,,2)").starts_with("6: ',' is not a value"));
}

TEST_CASE("an expression may be nested at most 50 deep") {
    const auto nested = [](const char* open, int depth, const char* close) {
        std::string text;
        for (int i = 0; i < depth; ++i) {
            text += open;
        }
        text += "1";
        for (int i = 0; i < depth; ++i) {
            text += close;
        }
        return text;
    };

    CHECK(error_of(nested("(", 50, ")")).empty());
    CHECK(error_of(nested("(", 51, ")")).starts_with("51: the expression is nested more than 50 levels deep"));
    CHECK(error_of(nested("-", 51, "")).starts_with("51: the expression is nested"));
    CHECK(error_of(nested("1**", 51, "")).find("nested") != std::string::npos);
    CHECK(error_of(nested("min(1,", 51, ")")).find("nested") != std::string::npos);
    CHECK(error_of(nested("1 in [", 51, "]")).find("nested") != std::string::npos);
    CHECK(error_of(nested("not ", 51, "")).find("nested") != std::string::npos);
}

TEST_CASE("a long chain of operators does not count as nesting") {
    std::string sum = "1";
    for (int i = 0; i < 1999; ++i) {
        sum += "+1";
    }

    CHECK(whole(sum) == 2000);
}
