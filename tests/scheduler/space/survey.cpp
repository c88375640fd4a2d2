#include "scheduler/space/survey.hpp"

#include <doctest/doctest.h>

using namespace crescendo;

namespace {

const std::vector<Parameter> width_and_depth{{"width", IntUniform{0, 9}}, {"depth", IntUniform{1, 10}, "width < 5"}};

std::vector<ExpressionError> problems(const SearchSpace& space) { return problems_of(survey(space, 1), space); }

}  // namespace

TEST_CASE("a survey counts present parameters and refused draws") {
    const SearchSpace space(width_and_depth, {"width < 2", "depth > 1"});

    const auto found = survey(space, /*seed=*/1);

    CHECK(found.num_draws == 1000);
    CHECK(found.broken[0] == doctest::Approx(800).epsilon(0.1));
    CHECK(found.broken[1] == doctest::Approx(50).epsilon(0.4));  // half of a tenth
    CHECK(found.num_refused == doctest::Approx(820).epsilon(0.1));
    CHECK(found.share_refused() == found.num_refused / 1000.0);
    CHECK(found.present[0] == 1000);
    CHECK(found.present[1] == doctest::Approx(500).epsilon(0.1));
    CHECK(problems_of(found, space).empty());
}

TEST_CASE("a constraint that no draw meets is impossible") {
    const SearchSpace space(width_and_depth, {"width < 8", "width > 9"});

    const auto found = problems(space);

    REQUIRE(found.size() == 1);
    CHECK(found[0].key() == "constraints[1]");
    CHECK(found[0].what() == std::string("none of 10000 draws meets it, so no trial could start; loosen it, or change "
                                         "the ranges of its parameters"));
}

TEST_CASE("constraints that no draw meets together are impossible, and the message has the share of each") {
    const auto found = problems(SearchSpace({{"flag", Categorical{{true, false}}}}, {"flag", "not flag"}));

    REQUIRE(found.size() == 1);
    CHECK(found[0].key() == "constraints");
    CHECK(std::string(found[0].what()).starts_with("none of 10000 draws meets all constraints, so no trial could start "
                                                   "(flag refuses "));
}

TEST_CASE("a constraint that one in thousands of draws meets is possible") {
    const SearchSpace space({{"x", IntUniform{0, 2999}}}, {"x == 7"});

    CHECK(problems(space).empty());
    CHECK(survey(space, 1).num_draws > 1000);
}

TEST_CASE("a rule that has no result for some draw is a problem") {
    const SearchSpace space({{"x", IntUniform{0, 99}}, derived_parameter("y", "1 / x")}, {"1 // x < 2"});

    const auto found = problems(space);

    REQUIRE(found.size() == 1);  // the constraint is not evaluated if y has no value
    CHECK(found[0].key() == "parameters.y.expression");
    CHECK(found[0].offset() == 2);
    CHECK(std::string(found[0].what()).starts_with("divides by zero"));
}
