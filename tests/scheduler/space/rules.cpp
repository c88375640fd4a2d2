#include "scheduler/space/rules.hpp"

#include <doctest/doctest.h>

using namespace crescendo;

namespace {

/// momentum exists only with sgd, nesterov only with a large momentum, and twice is derived from momentum.
const std::vector<Parameter> sgd_parameters{
    {"optimizer", Categorical{{std::string("sgd"), std::string("adam")}}},
    {"momentum", Uniform{0, 1}, "optimizer == 'sgd'"},
    {"nesterov", Categorical{{true, false}}, "momentum > 0.5"},
    derived_parameter("twice", "2 * momentum"),
    {"width", IntUniform{0, 10}},
    derived_parameter("inverse", "1 / width", "width != 3"),
};

Rules rules_of(const std::vector<std::string>& constraints = {}) {
    std::vector<ExpressionError> problems;
    Rules rules(sgd_parameters, constraints, problems);
    REQUIRE(problems.empty());
    return rules;
}

std::vector<std::optional<Value>> drawn(const char* optimizer, double momentum, int width) {
    return {std::string(optimizer), momentum, true, {}, std::int64_t{width}, {}};
}

/// The names of the parameters that are present.
std::string present(const Assignment& assignment) {
    std::string names;
    for (std::size_t i = 0; i < sgd_parameters.size(); ++i) {
        names += assignment.is_active[i] ? sgd_parameters[i].name + " " : "";
    }
    return names;
}

std::string error_of(const Rules& rules, std::vector<std::optional<Value>> given) {
    try {
        const auto assignment = rules.apply(std::move(given));
        rules.broken(assignment);
    } catch (const ExpressionError& error) {
        return text("{}@{}: {}", error.key(), error.offset(), error.what());
    } catch (const InvalidInput& error) {
        return text("{}: {}", error.key(), error.what());
    }
    return "";
}

}  // namespace

TEST_CASE("a parameter is absent if its condition is false, or depends on an absent one") {
    const auto rules = rules_of();

    CHECK(present(rules.apply(drawn("sgd", 0.75, 2))) == "optimizer momentum nesterov twice width inverse ");
    CHECK(present(rules.apply(drawn("sgd", 0.25, 2))) == "optimizer momentum twice width inverse ");
    CHECK(present(rules.apply(drawn("adam", 0.75, 2))) == "optimizer width inverse ");
    CHECK(present(rules.apply(drawn("adam", 0.75, 3))) == "optimizer width ");
}

TEST_CASE("derived parameters are computed, and given values are kept if they agree") {
    const auto rules = rules_of();
    auto given = drawn("sgd", 0.75, 2);
    const double other_bits = 1.5 * (1 + 1e-12);  // as another machine may have computed it
    given[3] = other_bits;

    CHECK(rules.apply(drawn("sgd", 0.75, 2)).values[3] == Value{1.5});
    CHECK(rules.apply(given).values[3] == Value{other_bits});
    given[3] = 1.6;
    CHECK(error_of(rules, given) ==
          "config: a configuration has twice = 1.6, but the parameter is computed from others and is 1.5; leave it "
          "out");
}

TEST_CASE("a derived parameter may be a list or null, and may be given as text") {
    const JsonValue list("[256,256]");
    const JsonValue null("null");
    const std::vector<Parameter> parameters{{"deep", Categorical{{true, false}}},
                                            {"big", Constant{list}},
                                            {"none", Constant{null}},
                                            {"word", Constant{std::string("null")}},
                                            derived_parameter("hidden", "big if deep else none"),
                                            derived_parameter("same", "hidden"),
                                            derived_parameter("text", "word")};
    std::vector<ExpressionError> problems;
    const Rules rules(parameters, {}, problems);
    REQUIRE(problems.empty());
    const auto applied = [&](bool deep, std::optional<Value> hidden = {}) {
        return rules.apply({deep, list, null, std::string("null"), std::move(hidden), {}, {}}).values;
    };

    CHECK(applied(true)[4] == Value{list});
    CHECK(applied(true)[5] == Value{list});
    CHECK(applied(false)[4] == Value{null});
    CHECK(applied(false)[6] == Value{std::string("null")});
    CHECK(applied(true, std::string("[256,256]"))[4] == Value{std::string("[256,256]")});  // as older journals have it
    CHECK(applied(true, list)[4] == Value{list});
    CHECK_THROWS_AS(applied(true, null), InvalidInput);
}

TEST_CASE("the error of a rule without a result names the rule and its values") {
    CHECK(error_of(rules_of(), drawn("adam", 0, 0)) ==
          "parameters.inverse.expression@2: divides by zero; leave 0 out of the range, or add a number to the divisor "
          "(with width = 0)");
    CHECK(error_of(rules_of({"width < 3 or sqrt(2 - width) > momentum * width"}), drawn("adam", 0, 4)) ==
          "constraints[0]@13: takes the root of -2; use a range that begins at 0 (with width = 4, momentum = nothing)");
    CHECK(error_of(rules_of({"1 / 0 > 1"}), drawn("adam", 0, 4)) ==
          "constraints[0]@2: divides by zero; leave 0 out of the range, or add a number to the divisor");
}

TEST_CASE("a constraint that depends on an absent parameter is met") {
    const auto rules = rules_of({"momentum < 0.5", "width < 5"});
    const auto broken = [&](const char* optimizer, double momentum, int width) {
        return rules.broken(rules.apply(drawn(optimizer, momentum, width)));
    };

    CHECK(broken("sgd", 0.75, 7) == 0);
    CHECK(broken("adam", 0.75, 7) == 1);
    CHECK(broken("adam", 0.75, 2) == std::nullopt);
    CHECK(rules.allows(0, rules.apply(drawn("adam", 0.75, 7))));
    CHECK_FALSE(rules.allows(1, rules.apply(drawn("adam", 0.75, 7))));
}

TEST_CASE("given values must have the type of their parameter") {
    auto given = drawn("sgd", 0.75, 2);
    given[4] = 4.0;  // as other launchers may write a whole number
    CHECK(error_of(rules_of({"width // 2 == 2"}), given).empty());

    given[4] = 4.5;
    CHECK(error_of(rules_of(), given) ==
          "config: a configuration has width = 4.5, but expressions use it as a whole number; give it such a value");
    given[4] = std::string("wide");
    CHECK(error_of(rules_of(), given).starts_with("config: a configuration has width = wide, but"));
}

TEST_CASE("the keys of rules name a parameter or the index of a constraint") {
    CHECK(rule_key("lr", "when") == "parameters.lr.when");
    CHECK(constraint_key(2) == "constraints[2]");
}
