#include "simulator/learning_curve.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "core/check.hpp"

using namespace crescendo;
using namespace crescendo::simulator;

namespace {

constexpr Resource last{81};

}  // namespace

TEST_CASE("curves fall, and many of them cross") {
    const ParametricCurves curves(1, Goal::minimize, last, 0);
    int crossings = 0;

    for (int i = 0; i < 1000; i += 2) {
        const TrialId a{i};
        const TrialId b{i + 1};
        CHECK(curves.loss(a, Resource{1}) > curves.loss(a, last));
        const bool leads_first = curves.loss(a, Resource{1}) < curves.loss(b, Resource{1});
        const bool leads_last = curves.loss(a, last) < curves.loss(b, last);
        crossings += leads_first != leads_last ? 1 : 0;
    }

    CHECK(crossings > 50);   // of 500 pairs
    CHECK(crossings < 250);  // and yet an early rung tells something
}

TEST_CASE("a curve depends only on the seed, the trial and the resource") {
    const ParametricCurves one(1, Goal::minimize, last, 0.1);
    const ParametricCurves same(1, Goal::minimize, last, 0.1);
    const ParametricCurves other(2, Goal::minimize, last, 0.1);
    const double loss = one.loss(TrialId{3}, Resource{5});
    one.loss(TrialId{4}, Resource{5});

    CHECK(one.loss(TrialId{3}, Resource{5}) == loss);
    CHECK(same.loss(TrialId{3}, Resource{5}) == loss);
    CHECK(other.loss(TrialId{3}, Resource{5}) != loss);
}

TEST_CASE("noise has the requested deviation") {
    const ParametricCurves curves(1, Goal::minimize, last, 0.02);
    double squares = 0;

    for (int i = 0; i < 10'000; ++i) {
        const double deviation = curves.loss(TrialId{i}, Resource{1}) - curves.error(TrialId{i}, 1);
        squares += deviation * deviation;
    }

    CHECK(std::sqrt(squares / 10'000) == doctest::Approx(0.02).epsilon(0.05));
}

TEST_CASE("a metric to maximize is one minus the error") {
    const ParametricCurves curves(1, Goal::maximize, last, 0);

    const double metric = from_loss(Goal::maximize, curves.loss(TrialId{0}, last));

    CHECK(metric == doctest::Approx(1 - curves.error(TrialId{0}, static_cast<double>(last.value))));
}

TEST_CASE("a recorded curve holds its value until the next report") {
    const RecordedCurves curves({{{Resource{2}, 0.5}, {Resource{4}, 0.3}}, {}, {{Resource{1}, 0.9}}});

    CHECK(curves.loss(TrialId{0}, Resource{1}) == 0.5);
    CHECK(curves.loss(TrialId{0}, Resource{3}) == 0.5);
    CHECK(curves.loss(TrialId{0}, Resource{9}) == 0.3);
    CHECK(curves.loss(TrialId{1}, Resource{4}) == 0.3);  // has no reports, so it gets those of trial 0
    CHECK(curves.loss(TrialId{2}, Resource{4}) == 0.9);
    CHECK(curves.loss(TrialId{5}, Resource{4}) == 0.9);  // 5 modulo 3
}

TEST_CASE("a replayed trial reports at its recorded resources and then at the same distance") {
    const std::vector<RecordedCurves::Curve> recorded{{{Resource{4}, 0.5}, {Resource{10}, 0.3}}, {{Resource{5}, 0.2}}};
    const RecordedCurves curves(recorded, Reporting::as_recorded);
    const auto reports_of = [](const RecordedCurves& of, int trial) {
        std::vector<std::int64_t> result;
        for (std::int64_t resource = 1; resource <= 24; ++resource) {
            if (of.has_report(TrialId{trial}, Resource{resource})) {
                result.push_back(resource);
            }
        }
        return result;
    };

    CHECK(reports_of(curves, 0) == std::vector<std::int64_t>{4, 10, 16, 22});
    CHECK(reports_of(curves, 1) == std::vector<std::int64_t>{5, 10, 15, 20});
    CHECK(reports_of(RecordedCurves(recorded), 0).size() == 24);
}

TEST_CASE("curves without any report are refused") {
    CHECK_THROWS_AS(RecordedCurves({}), InvalidInput);
    CHECK_THROWS_AS(RecordedCurves(std::vector<RecordedCurves::Curve>(2)), InvalidInput);
}

TEST_CASE("the repetitions of a configuration share a curve, and each has its own noise") {
    const ParametricCurves curves(1, Goal::minimize, last, 0.1, Repeat{.times = 2});

    CHECK(curves.error(TrialId{0}, 9) == curves.error(TrialId{1}, 9));
    CHECK(curves.error(TrialId{1}, 9) != curves.error(TrialId{2}, 9));
    CHECK(curves.loss(TrialId{0}, Resource{9}) != curves.loss(TrialId{1}, Resource{9}));
}
