#include "scheduler/samplers/second_search.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/scheduler/samplers/learning.hpp"

using namespace crescendo;

namespace {

/// Reports trials at the corners of a square of this side, one after the other.
void tell_corners(auto& search, double side, int first, int count) {
    for (int id = first; id < first + count; ++id) {
        const Config config{{"x", id / 2 % 2 == 0 ? 0.3 : 0.3 + side}, {"y", id / 4 % 2 == 0 ? 0.5 : 0.5 + side}};
        search.tell(started(id, config));
        search.tell(finished(started(id, config), 1));
    }
}

const SearchSpace& space() {
    static const SearchSpace square{{{"x", Uniform{0, 1}}, {"y", Uniform{0, 1}}}};
    return square;
}

}  // namespace

TEST_CASE("a second search owns every other trial from its first one to the 500th, and knows no others") {
    auto spec = learning_spec("gp", space());
    spec.warm_start.push_back({{{"x", 0.5}, {"y", 0.5}}, {{Resource{1}, 1.0}}, false, true});
    SecondSearch search(spec);
    CHECK_FALSE(search.owns(TrialId{100}));

    search.begin(TrialId{101});
    tell_corners(search, 0.2, 0, 600);

    CHECK_FALSE(search.owns(TrialId{100}));
    CHECK(search.owns(TrialId{102}));
    CHECK_FALSE(search.owns(TrialId{103}));
    CHECK_FALSE(search.owns(TrialId{500}));
    const auto* ranking = search.results().highest_ranking(1);
    REQUIRE(ranking != nullptr);
    CHECK(ranking->losses.size() == 199);  // 102, 104, …, 498
}

TEST_CASE("a second search that restarts knows no results, and ignores late ones of its former trials") {
    SecondSearch search(learning_spec("gp", space()));
    search.begin(TrialId{100});
    tell_corners(search, 0.2, 100, 50);

    search.begin(TrialId{150});
    tell_corners(search, 0.2, 140, 10);

    CHECK(search.results().highest_ranking(1) == nullptr);
}

TEST_CASE("a second search begins with points that cover the space, even after a restart") {
    auto spec = learning_spec("tpe", space());
    SecondSearch search(spec);
    std::vector<Config> configs;
    for (const int begin : {100, 116}) {
        search.begin(TrialId{begin});
        for (int id = begin; id < begin + 16; id += 2) {
            configs.push_back(search.first_of(TrialId{id})->config);
        }
    }

    CHECK(configs.size() == 16);
    for (const std::size_t parameter : {0, 1}) {
        for (const int count : count_in_eighths(configs, parameter)) {
            CHECK(count == 2);
        }
    }
}

TEST_CASE("by continuous numbers, sharing a discrete value does not make the best trials closer") {
    const SearchSpace mixed{{{"x", Uniform{0, 1}}, {"n", IntUniform{1, 4}}, {"q", QNormal{0, 10, 1}}}};
    Results results(learning_spec("gp", mixed));
    for (int id = 0; id < 2; ++id) {
        results.tell(finished(started(id, {{"x", 0.2 + 0.2 * id}, {"n", std::int64_t{3}}, {"q", 0.0}}), 1));
    }
    const auto spread = [&](SpreadBy by) {
        return spread_of_best(results, *results.highest_ranking(1), Axis::all_of(mixed), 2, by);
    };

    CHECK(spread(SpreadBy::continuous_numbers) == doctest::Approx(0.1));
    CHECK(spread(SpreadBy::numbers) < 1e-4);
}

TEST_CASE("the spread of the best trials is the geometric mean of their deviations over the numeric parameters") {
    const SearchSpace mixed{{{"x", Uniform{0, 1}}, {"y", Uniform{0, 1}}, {"kind", Categorical{{1.0, 2.0}}}}};
    Results results(learning_spec("gp", mixed));
    for (int id = 0; id < 8; ++id) {
        const bool is_good = id < 4;
        const Config config{{"x", id % 2 == 0 ? 0.2 : 0.4}, {"y", id / 2 % 2 == 0 ? 0.2 : 0.6}, {"kind", 1.0 + id % 2}};
        results.tell(started(id, config));
        results.tell(
            finished(started(id, is_good ? config : Config{{"x", 0.9}, {"y", 0.9}, {"kind", 1.0}}), is_good ? 0 : 1));
    }

    CHECK(spread_of_best(results, *results.highest_ranking(1), Axis::all_of(mixed), 4, SpreadBy::numbers) ==
          doctest::Approx(std::sqrt(0.1 * 0.2)));

    const SearchSpace choices{{{"kind", Categorical{{1.0, 2.0}}}}};
    Results of_choices(learning_spec("gp", choices));
    of_choices.tell(finished(started(0, {{"kind", 1.0}}), 1));
    CHECK(spread_of_best(of_choices, *of_choices.highest_ranking(1), Axis::all_of(choices), 4, SpreadBy::numbers) ==
          std::numeric_limits<double>::infinity());
}
