#include "scheduler/space/membership.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "core/draws.hpp"

using namespace crescendo;

namespace {

Value integer(std::int64_t number) { return number; }

/// Distributions of every kind.
const std::vector<Distribution> kinds{
    Uniform{-1, 2},
    LogUniformValues{1e-5, 0.1},
    IntUniform{-3, 7},
    QUniform{0.05, 2, 0.1},
    QUniform{-1e9, 1e9, 0.001},  // with 1e12 multiples, the rounding exceeds a millionth
    QLogUniformValues{1, 1000, 3},
    Normal{0, 2},
    QNormal{1, 2, 0.25},
    LogNormal{-7, 1},
    QLogNormal{1, 1, 0.5},
    Beta{2, 3},
    QBeta{2, 3, 0.3},
    Categorical{{"sgd", integer(3), true, 0.5}},
    Constant{"same"},
};

}  // namespace

TEST_CASE("every value that a distribution draws is a member and stays unchanged") {
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        for (std::int32_t i = 0; i < 200; ++i) {
            auto random = draws(/*seed=*/1, Purpose::configuration, TrialId{i});
            const auto value = draw(kinds[kind], random);
            CAPTURE(kind);
            CAPTURE(to_string(value));
            CHECK(member(kinds[kind], value) == value);
        }
    }
}

TEST_CASE("a value that a distribution never takes is not a member") {
    CHECK_FALSE(member(Uniform{0, 1}, 1.5).has_value());
    CHECK_FALSE(member(Uniform{0, 1}, "a").has_value());
    CHECK_FALSE(member(Uniform{0, 1}, true).has_value());
    CHECK_FALSE(member(LogUniformValues{0.1, 1}, 0.0).has_value());
    CHECK_FALSE(member(IntUniform{0, 4}, integer(5)).has_value());
    CHECK_FALSE(member(IntUniform{0, 4}, 2.5).has_value());
    CHECK_FALSE(member(IntUniform{0, 4}, 1e300).has_value());
    CHECK_FALSE(member(QUniform{0, 1, 0.25}, 0.3).has_value());
    CHECK_FALSE(member(Normal{0, 1}, std::numeric_limits<double>::infinity()).has_value());
    CHECK_FALSE(member(Beta{1, 1}, 1.25).has_value());
    CHECK_FALSE(member(QBeta{1, 1, 0.3}, 1.2).has_value());  // 1 is rounded to 0.9
    CHECK_FALSE(member(Categorical{{"sgd", "adam"}}, "lion").has_value());
    CHECK_FALSE(member(Categorical{{"sgd", "adam"}, {1, 0}}, "adam").has_value());
    CHECK_FALSE(member(Constant{integer(3)}, integer(4)).has_value());
}

TEST_CASE("a number becomes the equal value of the type that is searched") {
    CHECK(member(Uniform{0, 3}, integer(1)) == Value{1.0});
    CHECK(member(IntUniform{0, 3}, 2.0) == Value{integer(2)});
    CHECK(member(Categorical{{integer(32), integer(64)}}, 64.0) == Value{integer(64)});
    CHECK(member(QUniform{0, 1, 0.1}, 0.1 + 0.2).has_value());  // 0.30000000000000004
    CHECK(member(Categorical{{0.1, 0.3}, {}}, 0.1 + 0.2) == std::optional<Value>(0.3));
    CHECK_FALSE(member(Categorical{{0.1, 0.3}, {}}, 0.3000001));
}

TEST_CASE("a number that rounding carried beyond an end of its range counts as that end") {
    CHECK(member(LogUniformValues{1e-5, 1e-4}, std::exp(std::log(1e-4))) == Value{1e-4});  // 1.0000000000000009e-4
    CHECK(member(LogUniformValues{1e-5, 1e-4}, std::exp(std::log(1e-5))) == Value{1e-5});  // 9.999999999999997e-6
    CHECK(member(Uniform{0, 0.3}, 0.1 + 0.2) == Value{0.3});
    CHECK(member(Beta{2, 2}, 1 + 1e-15) == Value{1.0});
    CHECK_FALSE(member(LogUniformValues{1e-5, 1e-4}, 1.001e-4));
    CHECK_FALSE(member(LogNormal{0, 1}, -1e-15));
}

TEST_CASE("a configuration from elsewhere gets the order and the types of the space") {
    const SearchSpace space({{"lr", Uniform{0, 1}}, {"width", IntUniform{1, 64}}}, {"lr * width <= 32"});

    CHECK(member(space, {{"width", 16.0}, {"lr", integer(1)}}) == Config{{"lr", 1.0}, {"width", integer(16)}});
    CHECK_THROWS_WITH_AS(member(space, {{"width", integer(65)}, {"lr", 0.5}}), doctest::Contains("width = 65"),
                         InvalidInput);
    CHECK_THROWS_WITH_AS(member(space, {{"width", integer(64)}, {"lr", 1.0}}), doctest::Contains("lr * width <= 32"),
                         InvalidInput);
    CHECK_THROWS_WITH_AS(member(space, {{"width", integer(16)}, {"lr", std::string("0.5")}}),
                         "a configuration has lr = the text '0.5', which the parameter cannot be; choose one of its "
                         "values: from 0 to 1",
                         InvalidInput);
    CHECK_THROWS_AS(member(space, {{"width", integer(16)}}), InvalidInput);
    CHECK_THROWS_AS(member(space, {{"width", integer(16)}, {"lr", 0.5}, {"x", 0.5}}), InvalidInput);
}
