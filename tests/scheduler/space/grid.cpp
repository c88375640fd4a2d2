#include "scheduler/space/grid.hpp"

#include <doctest/doctest.h>

#include "core/check.hpp"

using namespace crescendo;

TEST_CASE("a grid has each combination of values once, and the last parameter varies first") {
    const SearchSpace space{{{"a", IntUniform{1, 2}}, {"b", Categorical{{true, false, true}}}, {"c", Constant{"x"}}}};
    const Grid grid{space};

    REQUIRE(grid.size() == 4);
    CHECK(grid.at(0) == Config{{"a", std::int64_t{1}}, {"b", true}, {"c", "x"}});
    CHECK(grid.at(1) == Config{{"a", std::int64_t{1}}, {"b", false}, {"c", "x"}});
    CHECK(grid.at(2) == Config{{"a", std::int64_t{2}}, {"b", true}, {"c", "x"}});
    for (std::int32_t point = 0; point < grid.size(); ++point) {
        CHECK(grid.point_of(grid.at(point).value()) == point);
    }
}

TEST_CASE("a configuration outside the grid has no point") {
    const Grid grid{SearchSpace{{{"a", IntUniform{1, 2}}}}};

    CHECK(!grid.point_of({{"a", std::int64_t{3}}}));
    CHECK(!grid.point_of({{"b", std::int64_t{1}}}));
    CHECK(!grid.point_of({}));
}

TEST_CASE("the grid of a space without parameters has one point") { CHECK(Grid{SearchSpace{}}.size() == 1); }

TEST_CASE("a grid refuses a range of real numbers, and the message names the parameter and the remedy") {
    const SearchSpace space{{{"width", IntUniform{1, 2}}, {"lr", Uniform{0, 1}}}};
    try {
        const Grid grid{space};
        FAIL("accepted");
    } catch (const InvalidInput& error) {
        CHECK(error.key() == "parameters.lr");
        CHECK(std::string(error.what()) ==
              "has infinitely many values (a grid tries each of them once); list some with values: [...], use a "
              "distribution of whole numbers or q_uniform with a q, or use method: random");
    }
}

TEST_CASE("a grid with more points than possible trials is refused") {
    const IntUniform range{1, 100'000};

    CHECK_THROWS_AS(Grid(SearchSpace{{{"a", range}, {"b", range}}}), InvalidInput);
}

TEST_CASE("a grid skips points that a constraint forbids or that differ only in absent parameters") {
    const Categorical methods{{"sgd", "adam"}};
    const SearchSpace space{{{"method", methods},
                             {"momentum", Categorical{{0.8, 0.9}}, "method == \"sgd\""},
                             derived_parameter("twice", "momentum * 2"),
                             {"width", IntUniform{1, 3}},
                             derived_parameter("double_width", "width * 2")},
                            {"width < 3"}};
    const Grid grid{space};

    // sgd with 2 momenta and adam with none, and so without twice, each with 2 widths.
    CHECK(grid.size() == 12);
    CHECK(grid.num_configurations() == 6);
    for (std::int32_t point = 0; point < grid.size(); ++point) {
        if (const auto config = grid.at(point)) {
            CHECK(grid.point_of(*config) == point);
            CHECK(config->back().first == "double_width");
        }
    }
}
