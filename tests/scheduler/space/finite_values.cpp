#include "scheduler/space/finite_values.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace crescendo;

namespace {

std::vector<Value> all_values(const Distribution& distribution) {
    const auto values = FiniteValues::of(distribution).value();
    std::vector<Value> all;
    for (std::int64_t i = 0; i < values.size(); ++i) {
        all.push_back(values.at(i));
        CHECK(values.index_of(all.back()) == i);
    }
    return all;
}

}  // namespace

TEST_CASE("whole numbers, multiples, lists and constants have finitely many values") {
    CHECK(all_values(IntUniform{-1, 1}) == std::vector<Value>{std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}});
    CHECK(all_values(QUniform{0.1, 0.3, 0.1}) == std::vector<Value>{0.1, 0.2, 0.3});
    CHECK(all_values(QLogUniformValues{3, 17, 8}) == std::vector<Value>{8.0, 16.0});
    CHECK(all_values(QBeta{2, 2, 0.5}) == std::vector<Value>{0.0, 0.5, 1.0});
    CHECK(all_values(Constant{"x"}) == std::vector<Value>{"x"});
}

TEST_CASE("ranges of real numbers, bell curves and huge ranges do not count as finite") {
    CHECK(!FiniteValues::of(Uniform{0, 1}));
    CHECK(!FiniteValues::of(LogUniformValues{0.1, 1}));
    CHECK(!FiniteValues::of(Normal{0, 1}));
    CHECK(!FiniteValues::of(QNormal{0, 1, 1}));
    CHECK(!FiniteValues::of(Beta{1, 1}));
    CHECK(!FiniteValues::of(IntUniform{std::numeric_limits<std::int64_t>::min(), 0}));
    CHECK(!FiniteValues::of(QUniform{0, 1, 1e-12}));
}

TEST_CASE("the multiples that a bell curve reaches are finitely many, and each draw is one of them") {
    for (const Distribution& bell : {Distribution(QNormal{50, 10, 5}), Distribution(QLogNormal{2, 1, 0.5})}) {
        const auto reachable = FiniteValues::reachable_of(bell).value();
        for (const double coordinate : {0.0, 1e-9, 0.3, 0.5, 0.9, 1 - 1e-9, 1 - 0x1.0p-53}) {
            const auto index = reachable.index_of(value_at(bell, coordinate));
            REQUIRE(index);
            CHECK(reachable.at(*index) == value_at(bell, coordinate));
        }
    }
    CHECK(FiniteValues::reachable_of(IntUniform{1, 9})->size() == 9);
    CHECK(!FiniteValues::reachable_of(Normal{0, 1}));
    CHECK(!FiniteValues::reachable_of(QLogNormal{0, 100, 1}));  // too many
}

TEST_CASE("a value listed twice counts once, and a value with the probability 0 does not count") {
    CHECK(all_values(Categorical{{1.0, true, 1.0}}) == std::vector<Value>{1.0, true});
    CHECK(all_values(Categorical{{1.0, 2.0, 3.0}, {0.5, 0, 0.5}}) == std::vector<Value>{1.0, 3.0});
}

TEST_CASE("a multiple has its index however it is computed") {
    const auto tenths = FiniteValues::of(QUniform{0, 1, 0.1}).value();

    CHECK(tenths.at(3) == Value{0.1 + 0.2});  // 0.30000000000000004
    CHECK(tenths.index_of(0.3) == 3);
    CHECK(tenths.index_of(0.7) == 7);
    CHECK(tenths.index_of(0.30001) == std::nullopt);
}

TEST_CASE("a value outside the distribution has no index") {
    const auto whole = FiniteValues::of(IntUniform{1, 3}).value();
    const auto multiples = FiniteValues::of(QUniform{0, 1, 0.25}).value();

    CHECK(!whole.index_of(std::int64_t{4}));
    CHECK(!whole.index_of(2.0));
    CHECK(!multiples.index_of(0.3));
    CHECK(!multiples.index_of(1.25));
    CHECK(!multiples.index_of(-0.25));
    CHECK(!multiples.index_of("x"));
}
