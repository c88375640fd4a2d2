#include "scheduler/samplers/axis.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <utility>

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

TEST_CASE("an axis knows the cell around a coordinate, even if cells differ in length") {
    const auto axis_of = [](Distribution distribution) {
        return Axis::all_of(SearchSpace{{{"x", std::move(distribution)}}}).front();
    };

    CHECK_FALSE(axis_of(Normal{0, 1}).is_discrete());
    CHECK(axis_of(Normal{0, 1}).cell_length_at(0.5) == 0);
    CHECK(axis_of(IntUniform{1, 10}).cell_length_at(0.73) == doctest::Approx(0.1));
    const auto logarithmic = axis_of(QLogUniformValues{16, 1024, 16});
    CHECK(logarithmic.cell_length_at(0) == doctest::Approx(std::log(1.5) / std::log(64)));
    CHECK(logarithmic.cell_length_at(0.99) < 0.01);
    const auto normal = axis_of(QNormal{0, 10, 1});
    CHECK(normal.is_discrete());
    CHECK(axis_of(IntUniform{1, 10}).cell_at(0.73) == std::pair(0.7, 0.8));
    CHECK(axis_of(QUniform{0, 1, 0.25}).cell_at(0.1) == std::pair(0.0, 0.125));
    CHECK(normal.cell_length_at(0.5) == doctest::Approx(0.0399).epsilon(0.01));  // the normal density at 0 by 0.1
}
