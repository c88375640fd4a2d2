#include "scheduler/schedulers/cut.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/random.hpp"

using namespace crescendo;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Takes the losses as results of trials 0, 1, 2, …, and cuts the best third from the rest.
Cut third_of(const std::vector<double>& losses) {
    Cut cut;
    for (int trial = 0; trial < static_cast<int>(losses.size()); ++trial) {
        cut.insert({losses[static_cast<std::size_t>(trial)], TrialId{trial}}, (cut.size() + 1) / 3);
    }
    return cut;
}

Cut at_quantile(const std::vector<double>& losses, std::size_t parts) {
    Cut cut;
    for (int trial = 0; trial < static_cast<int>(losses.size()); ++trial) {
        cut.insert({losses[static_cast<std::size_t>(trial)], TrialId{trial}},
                   num_up_to_quantile(cut.size() + 1, parts));
    }
    return cut;
}

}  // namespace

TEST_CASE("the best third of six are the two smallest losses") {
    const auto cut = third_of({6, 1, 5, 2, 4, 3});

    CHECK(cut.size() == 6);
    CHECK(cut.worst_of_best() == Result{2, TrialId{3}});
    CHECK(cut.best_of_rest() == Result{3, TrialId{5}});
    CHECK(cut.is_among_best({1, TrialId{1}}));
    CHECK(cut.is_among_best({2, TrialId{3}}));
    CHECK_FALSE(cut.is_among_best({3, TrialId{5}}));
}

TEST_CASE("none of two results is among the best third") {
    const auto cut = third_of({1, 2});

    CHECK_FALSE(cut.is_among_best({1, TrialId{0}}));
    CHECK(cut.best_of_rest().trial == TrialId{0});
}

TEST_CASE("equal losses are cut by trial id, and so are zeros of either sign") {
    const auto cut = third_of({0.0, -0.0, 0.0});

    CHECK(cut.worst_of_best().trial == TrialId{0});
    CHECK(cut.best_of_rest().trial == TrialId{1});
}

TEST_CASE("results in any order are cut where a full sort would cut them") {
    constexpr int num_trials = 20;
    const std::vector losses{0.1, 0.2, 0.3, infinity, infinity, -1.0};
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        CounterRandom random{seed, 0};
        std::vector<Result> results;
        for (int trial = 0; trial < num_trials; ++trial) {
            const Result result{losses[static_cast<std::size_t>(trial) % losses.size()], TrialId{trial}};
            results.insert(results.begin() + static_cast<int>(random.below(results.size() + 1)), result);
        }
        Cut cut;
        for (const auto& result : results) {
            cut.insert(result, (cut.size() + 1) / 3);
        }

        std::sort(results.begin(), results.end());
        REQUIRE(cut.worst_of_best() == results[5]);
        REQUIRE(cut.best_of_rest() == results[6]);
    }
}

TEST_CASE("the quantile lies between the results next to the cut") {
    CHECK(quantile(Cut{}, 3) == infinity);
    CHECK(quantile(at_quantile({7}, 3), 3) == 7);
    CHECK(quantile(at_quantile({0, 3, 6}, 3), 3) == 2);     // 2/3 of the way from 0 to 3
    CHECK(quantile(at_quantile({5, 1, 4, 2}, 2), 2) == 3);  // the median of 1, 2, 4, 5
    CHECK(quantile(at_quantile({5, 1, 4}, 2), 2) == 4);
    CHECK(quantile(at_quantile({1, infinity}, 2), 2) == infinity);
    CHECK(quantile(at_quantile({infinity, infinity}, 2), 2) == infinity);
}

TEST_CASE("erasing a result leaves the cut as if it had never been inserted") {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 0);
        Cut with;
        Cut without;
        const auto gone = static_cast<int>(random.below(20));
        for (int trial = 0; trial < 20; ++trial) {
            const Result result{static_cast<double>(random.below(5)), TrialId{trial}};
            with.insert(result, (with.size() + 1) / 3);
            if (trial != gone) {
                without.insert(result, (without.size() + 1) / 3);
            }
        }
        CounterRandom again(seed, 0);
        again.below(20);
        double loss = 0;
        for (int trial = 0; trial <= gone; ++trial) {
            loss = static_cast<double>(again.below(5));
        }

        with.erase({loss, TrialId{gone}}, 19 / 3);

        CHECK(with.size() == without.size());
        CHECK(with.worst_of_best() == without.worst_of_best());
        CHECK(with.best_of_rest() == without.best_of_rest());
    }
}
