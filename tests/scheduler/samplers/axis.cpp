#include "scheduler/samplers/axis.hpp"

#include <doctest/doctest.h>

using namespace crescendo;

TEST_CASE("axes know categories and cells") {
    const auto axes = Axis::all_of(SearchSpace{{{"constant", Constant{true}},
                                                {"x", LogUniformValues{1e-3, 1}},
                                                {"n", IntUniform{1, 10}},
                                                {"c", Categorical{{1.0, 2.0}}}}});

    REQUIRE(axes.size() == 3);
    CHECK(axes[0].cell == 0);
    CHECK(axes[1].cell == 0.1);
    CHECK(!axes[1].is_categorical);
    CHECK(axes[2].cell == 0.5);
    CHECK(axes[2].is_categorical);
    CHECK(axes[2].categories == std::vector{0.25, 0.75});
}

TEST_CASE("an axis knows the coordinates of categories that are not equally likely, listed twice, or impossible") {
    const auto categories_of = [](const Categorical& listed) {
        return Axis::all_of(SearchSpace{{{"c", listed}}}).front().categories;
    };

    CHECK(categories_of({{1.0, 2.0}, {0.75, 0.25}}) == std::vector{0.375, 0.875});
    CHECK(categories_of({{1.0, 2.0, 2.0, 2.0}}) == std::vector{0.125, 0.375});
    CHECK(categories_of({{1.0, 2.0, 3.0}, {0.5, 0.0, 0.5}}) == std::vector{0.25, 0.75});
}
