#include "analysis/regression_forest.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace crescendo::analysis;

namespace {

double volume(const Leaf& leaf, const std::vector<Dimension>& dimensions) {
    double product = 1;
    for (const auto& [i, side] : leaf.sides) {
        product *= side.share(dimensions[i]);
    }
    return product;
}

/// Values that grow with the number, and jump at the second choice.
std::vector<Sample> some_samples() {
    std::vector<Sample> samples;
    for (int i = 0; i < 40; ++i) {
        const double number = (i + 0.5) / 40;
        const int choice = i % 3;
        samples.push_back({{number, static_cast<double>(choice)}, number + (choice == 1 ? 10 : 0)});
    }
    return samples;
}

}  // namespace

TEST_CASE("the leaves of a tree fill the whole space") {
    const std::vector<Dimension> dimensions{{0}, {3}};
    const RegressionForest forest(dimensions, some_samples(), 8);

    REQUIRE(forest.trees().size() == 8);
    for (const auto& tree : forest.trees()) {
        double sum = 0;
        for (const auto& leaf : tree) {
            sum += volume(leaf, dimensions);
        }
        CHECK(sum == doctest::Approx(1));
    }
}

TEST_CASE("a leaf has sides only along dimensions that are divided") {
    const std::vector<Dimension> dimensions{{0}, {3}, {0}};
    auto samples = some_samples();
    for (auto& sample : samples) {
        sample.place.push_back(0.5);  // the same everywhere: nothing to divide
    }
    const RegressionForest forest(dimensions, samples, 8);

    for (const auto& tree : forest.trees()) {
        for (const auto& leaf : tree) {
            CHECK(!leaf.sides.contains(2));
            for (const auto& [i, side] : leaf.sides) {
                CHECK(side.share(dimensions[i]) < 1);
            }
        }
    }
}

TEST_CASE("equal samples and seeds give equal forests, and another seed gives another forest") {
    const auto first_leaves = [](std::uint64_t seed) {
        std::vector<double> values;
        const RegressionForest forest({{0}, {3}}, some_samples(), 4, seed);
        for (const auto& tree : forest.trees()) {
            for (const auto& leaf : tree) {
                values.push_back(leaf.value);
            }
        }
        return values;
    };

    CHECK(first_leaves(1) == first_leaves(1));
    CHECK(first_leaves(1) != first_leaves(2));
}

TEST_CASE("two numbers with no other number between them give at most two leaves") {
    const double number = 0.3;
    const double next = std::nextafter(number, 1);
    const std::vector<Dimension> dimensions{{0}};
    const std::vector<Sample> samples{{{number}, 1}, {{next}, 2}, {{number}, 1}, {{next}, 2}};
    const RegressionForest forest(dimensions, samples, 8);

    for (const auto& tree : forest.trees()) {
        CHECK(tree.size() <= 2);
    }
}

TEST_CASE("one sample, and samples of one value, make trees of one leaf") {
    const std::vector<Sample> one{{{0.3}, 5}};
    const std::vector<Sample> flat{{{0.1}, 2}, {{0.5}, 2}, {{0.9}, 2}};
    const RegressionForest of_one({{0}}, one, 2);
    const RegressionForest of_flat({{0}}, flat, 2);

    for (const auto& tree : of_one.trees()) {
        REQUIRE(tree.size() == 1);
        CHECK(tree.front().value == 5);
    }
    for (const auto& tree : of_flat.trees()) {
        REQUIRE(tree.size() == 1);
        CHECK(tree.front().value == 2);
    }
}

TEST_CASE("samples at one place do not divide it, even if their values differ") {
    const std::vector<Sample> samples{{{0.5, 1}, 1}, {{0.5, 1}, 3}};
    const RegressionForest forest({{0}, {2}}, samples, 4);

    for (const auto& tree : forest.trees()) {
        CHECK(tree.size() == 1);
    }
}
