#include "scheduler/space/rules_reader.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace crescendo;

namespace {

const std::vector<Parameter> plain{{"optimizer", Categorical{{std::string("sgd"), std::string("adam")}}},
                                   {"width", IntUniform{1, 64}},
                                   {"lr", Uniform{0, 1}}};

std::vector<Parameter> parameters_and(std::vector<Parameter> added) {
    added.insert(added.begin(), plain.begin(), plain.end());
    return added;
}

/// The problems of a space, one per line: "key@offset: message".
std::string problems_of_rules(const std::vector<Parameter>& parameters,
                              const std::vector<std::string>& constraints = {}) {
    std::vector<ExpressionError> problems;
    const Rules rules(parameters, constraints, problems);
    std::string all;
    for (const auto& problem : problems) {
        all += text("{}{}@{}: {}", all.empty() ? "" : "\n", problem.key(), problem.offset(), problem.what());
    }
    return all;
}

Parameter when(const char* name, const char* condition) { return {name, Uniform{0, 1}, condition}; }

}  // namespace

TEST_CASE("valid rules cause no problems") {
    CHECK(problems_of_rules(
              parameters_and({when("momentum", "optimizer == 'sgd'"), derived_parameter("area", "width * width")}),
              {"area <= 4096", "lr * width < 10"})
              .empty());
}

TEST_CASE("a parameter is read after the parameters that it depends on, whatever their order") {
    std::vector<ExpressionError> problems;
    const std::vector<Parameter> parameters{derived_parameter("c", "a + b"), derived_parameter("b", "a * 2"),
                                            {"a", IntUniform{1, 2}}};

    const Rules rules(parameters, {"c < 10"}, problems);

    CHECK(problems.empty());
    CHECK(rules.order() == std::vector<std::size_t>{2, 1, 0});
    CHECK_FALSE(rules.empty());
    CHECK(Rules(plain, {}, problems).empty());
}

TEST_CASE("the type of a parameter covers all its values") {
    const std::vector<Parameter> parameters{{"whole", Categorical{{std::int64_t{1}, std::int64_t{2}}}},
                                            {"number", Categorical{{std::int64_t{1}, 0.5}}},
                                            {"mixed", Categorical{{std::string("none"), 0.5}}},
                                            {"flag", Constant{true}},
                                            {"normal", Normal{0, 1}},
                                            derived_parameter("text", "'a' if flag else 'b'")};

    CHECK(problems_of_rules(parameters, {"whole // 2 < 3", "number < 1", "mixed == 0.5 or mixed == 'none'", "flag",
                                         "normal < 3", "text == 'a'"})
              .empty());
    CHECK(problems_of_rules(parameters, {"mixed < 1"}) ==
          "constraints[0]@0: '<' compares numbers, but its left side is a value of several types; use ==, != or in");
}

TEST_CASE("an unknown name is a mistake at its character") {
    CHECK(problems_of_rules(parameters_and({when("momentum", "optimiser == 'sgd'")})) ==
          "parameters.momentum.when@0: there is no optimiser; put text in quotes");
    CHECK(problems_of_rules(parameters_and({when("momentum", "optimizer == sgd")})) ==
          "parameters.momentum.when@13: there is no sgd; put text in quotes");
    CHECK(problems_of_rules(parameters_and({derived_parameter("x", "2 * depth")})) ==
          "parameters.x.expression@4: there is no depth; put text in quotes");
    CHECK(problems_of_rules(plain, {"width < 3", "width * depth < 3"}) ==
          "constraints[1]@8: there is no depth; put text in quotes");
}

TEST_CASE("a circular dependency is reported once") {
    CHECK(problems_of_rules({when("a", "b > 0"),
                             when("b", "lr > 0 and c > 0"),
                             derived_parameter("c", "a * 2"),
                             {"lr", Uniform{0, 1}}}) ==
          "parameters.c.expression@0: a needs b needs c needs a: none of them can come first; remove one of them from "
          "the rule of another");
    CHECK(problems_of_rules({when("a", "1 < a")}) ==
          "parameters.a.when@4: a needs a: none of them can come first; remove one of them from the rule of another");
}

TEST_CASE("a mistake causes no second message") {
    CHECK(problems_of_rules(parameters_and({derived_parameter("area", "width * "), when("x", "area > 2")}),
                            {"area < 3", "x > 0"}) ==
          "parameters.area.expression@8: a value is missing at the end; add it, or remove what comes before it");
}

TEST_CASE("every mistake is reported") {
    const auto all = problems_of_rules(parameters_and({when("a", "width"), when("b", "lr +")}),
                                       {"lr", "lr + 'a' > 2", "sin(lr) > 0"});

    CHECK(all ==
          "parameters.a.when@0: this is a whole number, but a condition must be true or false; compare it, as in x > "
          "0\nparameters.b.when@4: a value is missing at the end; add it, or remove what comes before "
          "it\nconstraints[0]@0: this is a number, but a constraint must be true or false; compare it, as in x > "
          "0\nconstraints[1]@5: '+' takes numbers, but its right side is text; compare it first, or use another "
          "parameter\nconstraints[2]@0: there is no function sin; the functions are sqrt, log, exp, pow, min, max, "
          "abs, floor, ceil, round, int");
}

TEST_CASE("a comparison with a value that is not in the list is a mistake") {
    CHECK(problems_of_rules(parameters_and({when("momentum", "optimizer == 'sdg'")}))
              .starts_with("parameters.momentum.when@13: "));
}

TEST_CASE("a parameter may be absent if it has a condition or is derived from such a parameter") {
    std::vector<ExpressionError> problems;
    const Rules rules(
        parameters_and({when("momentum", "optimizer == 'sgd'"), derived_parameter("twice", "2 * momentum"),
                        derived_parameter("area", "width * width")}),
        {}, problems);

    CHECK_FALSE(rules.may_be_absent(0));
    CHECK(rules.may_be_absent(3));
    CHECK(rules.may_be_absent(4));
    CHECK_FALSE(rules.may_be_absent(5));
}

TEST_CASE("a long chain of dependencies is not too deep") {
    std::vector<Parameter> parameters{{"x0", IntUniform{1, 2}}};
    for (int i = 1; i < 1000; ++i) {
        parameters.push_back(derived_parameter(text("x{}", i), text("x{} + 1", i - 1)));
    }
    std::reverse(parameters.begin(), parameters.end());

    CHECK(problems_of_rules(parameters).empty());
}
