#include "scheduler/expressions/logic.hpp"

#include "tests/scheduler/expressions/evaluate.hpp"

using namespace crescendo;
using namespace crescendo::tests;

TEST_CASE("and, or and not have three results, as in SQL") {
    const std::string yes = "flag";
    const std::string no = "not flag";
    const std::string nothing = "absent > 0";
    const auto both = [](const std::string& a, const std::string& b) { return result_of(a + " and " + b); };
    const auto either = [](const std::string& a, const std::string& b) { return result_of(a + " or " + b); };

    CHECK(both(yes, yes) == Value{true});
    CHECK(both(yes, no) == Value{false});
    CHECK(both(no, nothing) == Value{false});
    CHECK(both(nothing, no) == Value{false});
    CHECK(both(nothing, yes) == std::nullopt);
    CHECK(both(yes, nothing) == std::nullopt);
    CHECK(both(nothing, nothing) == std::nullopt);
    CHECK(either(no, no) == Value{false});
    CHECK(either(yes, nothing) == Value{true});
    CHECK(either(nothing, yes) == Value{true});
    CHECK(either(nothing, no) == std::nullopt);
    CHECK(either(no, nothing) == std::nullopt);
    CHECK(result_of("not (" + nothing + ")") == std::nullopt);
}

TEST_CASE("an operand that cannot change the result is not evaluated") {
    CHECK_FALSE(holds("seven == 0 and 1 / 0 > 0"));
    CHECK(holds("seven == 7 or 1 / 0 > 0"));
    CHECK(whole("1 if flag else 1 // 0") == 1);
    CHECK(error_of("flag and 1 / 0 > 0").starts_with("11: divides by zero"));
}

TEST_CASE("if and else choose one of two values of one type") {
    CHECK(value_of("'a' if seven > 6 else 'b'") == Value{std::string("a")});
    CHECK(value_of("1 if not flag else 2 if not flag else 3") == Value{std::int64_t{3}});
    CHECK(value_of("1 if flag else 0.5") == Value{1.0});
    CHECK(!result_of("1 if absent > 0 else 2"));
    CHECK(!result_of("absent if flag else 2"));
    CHECK(whole("int(2) if flag else int(absent)") == 2);
    CHECK(error_of("1 if flag else 'a'") ==
          "2: gives a whole number or text; both sides of if and else must have the same type");
}

TEST_CASE("conditions must be true or false") {
    CHECK(error_of("flag and seven") ==
          "9: 'and' takes conditions, but this is a whole number; compare it, as in x > 0");
    CHECK(error_of("optimizer or flag").starts_with("0: 'or' takes conditions, but this is text"));
    CHECK(error_of("not half").starts_with("4: 'not' takes conditions, but this is a number"));
    CHECK(error_of("1 if half else 2").starts_with("5: 'if' takes conditions"));
}
