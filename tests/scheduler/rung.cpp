#include "scheduler/rung.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "core/random.hpp"

using namespace crescendo;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::vector<int> ranking(const Rung& rung) {
    std::vector<int> trials;
    for (std::size_t rank = 0; rank < rung.size(); ++rank) {
        trials.push_back(rung.at(rank).trial.value);
    }
    return trials;
}

}  // namespace

TEST_CASE("a rung ranks the smallest loss first") {
    Rung rung{Resource{1}};

    rung.insert(TrialId{0}, 0.3);
    rung.insert(TrialId{1}, 0.1);
    rung.insert(TrialId{2}, 0.2);

    CHECK(ranking(rung) == std::vector{1, 2, 0});
    CHECK(rung.rank(TrialId{0}) == 2);
    CHECK(rung.rank(TrialId{1}) == 0);
}

TEST_CASE("equal losses rank by trial id, in either order of arrival") {
    Rung rung{Resource{1}};
    Rung reversed{Resource{1}};

    rung.insert(TrialId{1}, 0.5);
    rung.insert(TrialId{2}, 0.5);
    reversed.insert(TrialId{2}, 0.5);
    reversed.insert(TrialId{1}, 0.5);

    CHECK(ranking(rung) == std::vector{1, 2});
    CHECK(ranking(reversed) == std::vector{1, 2});
}

TEST_CASE("zeros of either sign are equal losses") {
    Rung rung{Resource{1}};

    rung.insert(TrialId{1}, 0.0);
    rung.insert(TrialId{2}, -0.0);

    CHECK(ranking(rung) == std::vector{1, 2});
}

TEST_CASE("NaN and infinite losses rank last and equal") {
    Rung rung{Resource{1}};

    rung.insert(TrialId{0}, not_a_number);
    rung.insert(TrialId{1}, -infinity);
    rung.insert(TrialId{2}, infinity);
    rung.insert(TrialId{3}, std::numeric_limits<double>::max());

    CHECK(ranking(rung) == std::vector{3, 0, 1, 2});
    CHECK(rung.loss(TrialId{0}) == infinity);
    CHECK(rung.loss(TrialId{1}) == infinity);
}

TEST_CASE("recording a trial twice keeps its first loss") {
    Rung rung{Resource{1}};

    rung.insert(TrialId{1}, 0.5);
    rung.insert(TrialId{1}, 0.1);

    CHECK(rung.size() == 1);
    CHECK(rung.loss(TrialId{1}) == 0.5);
}

TEST_CASE("a trial that was not recorded has no loss") { CHECK(Rung{Resource{1}}.loss(TrialId{4}) == std::nullopt); }

TEST_CASE("any order of the same results gives the same ranking") {
    constexpr int num_trials = 20;
    const std::vector losses{0.1, 0.2, 0.3, not_a_number, infinity, -1.0};
    std::vector<int> expected;

    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        CounterRandom random{seed, 0};
        std::vector<int> order;
        for (int trial = 0; trial < num_trials; ++trial) {
            order.insert(order.begin() + static_cast<int>(random.below(order.size() + 1)), trial);
        }
        Rung rung{Resource{1}};
        for (const int trial : order) {
            rung.insert(TrialId{trial}, losses[static_cast<std::size_t>(trial) % losses.size()]);
        }

        expected = expected.empty() ? ranking(rung) : expected;
        REQUIRE(ranking(rung) == expected);
        for (std::size_t rank = 0; rank < rung.size(); ++rank) {
            REQUIRE(rung.rank(rung.at(rank).trial) == rank);
        }
    }
}
