#include "scheduler/samplers/grid_sampler.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/scheduler/script.hpp"

using namespace crescendo;

namespace {

const SearchSpace ten_points{{{"a", IntUniform{0, 4}}, {"b", Categorical{{true, false}}}}};

SweepSpec grid_spec(int run_cap) {
    auto spec = spec_of(run_cap, /*max=*/1);
    spec.scheduler.kind = SchedulerKind::fifo;
    spec.sampler = "grid";
    spec.space = ten_points;
    return spec;
}

Trial started_with(TrialId id, Config config) {
    Trial trial;
    trial.id = id;
    trial.config = std::move(config);
    return trial;
}

/// All proposals of a sampler, in order. Each starts before the next one is made.
std::vector<Config> proposals_of(GridSampler sampler) {
    std::vector<Config> all;
    for (TrialId id{0}; const auto proposal = sampler.propose(id); ++id.value) {
        all.push_back(proposal->config);
        sampler.tell(started_with(id, proposal->config));
    }
    return all;
}

}  // namespace

TEST_CASE("a permutation contains every number once, for any size and seed") {
    for (const std::uint32_t size : {1U, 2U, 3U, 4U, 5U, 16U, 17U, 1000U}) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const Permutation permutation(size, seed);
            std::set<std::uint32_t> seen;
            for (std::uint32_t i = 0; i < size; ++i) {
                seen.insert(permutation(i));
            }
            REQUIRE(seen.size() == size);
            REQUIRE(*seen.rbegin() == size - 1);
        }
    }
}

TEST_CASE("a permutation mixes: its first numbers are not the smallest") {
    // The mean of 100 of 0 … 999 is 499.5 with a standard deviation of 27.
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const Permutation permutation(1000, seed);
        double sum = 0;
        for (std::uint32_t i = 0; i < 100; ++i) {
            sum += permutation(i);
        }
        CHECK(std::abs(sum / 100 - 499.5) < 4 * 27);
    }
}

TEST_CASE("a multiple of q written by hand counts as the grid's point") {
    GridSampler sampler(SearchSpace({{"x", QUniform{0, 1, 0.1}}}), /*seed=*/1);
    sampler.tell(started_with(TrialId{0}, {{"x", 0.3}}));
    sampler.tell(started_with(TrialId{1}, {{"x", 0.7}}));

    CHECK(proposals_of(sampler).size() == 9);  // of 0, 0.1, … 1
}

TEST_CASE("a grid proposes every point once, in the order of its seed, then nothing") {
    const auto first = proposals_of({ten_points, /*seed=*/1});
    const auto again = proposals_of({ten_points, /*seed=*/1});
    const auto other = proposals_of({ten_points, /*seed=*/2});

    CHECK(first.size() == 10);
    CHECK(std::set<Config>(first.begin(), first.end()).size() == 10);
    CHECK(first == again);
    CHECK(first != other);
}

TEST_CASE("an enqueued point is not proposed again") {
    GridSampler sampler(ten_points, /*seed=*/1);
    const auto first = sampler.propose(TrialId{0})->config;
    const Config enqueued{{"a", std::int64_t{3}}, {"b", true}};

    CHECK(sampler.propose(TrialId{0})->config == first);  // asked again before it has started
    sampler.tell(started_with(TrialId{0}, enqueued));
    sampler.tell(started_with(TrialId{0}, enqueued));
    sampler.tell(started_with(TrialId{1}, {{"a", std::int64_t{99}}, {"b", true}}));  // not a point of the grid

    const auto rest = proposals_of(sampler);
    CHECK(rest.size() == 9);
    CHECK(std::count(rest.begin(), rest.end(), enqueued) == 0);
}

TEST_CASE("a sweep over a grid ends when each point has been trained, whatever its run_cap") {
    for (const int run_cap : {10, 50}) {
        Script script(grid_spec(run_cap));
        script.join(3);
        for (int id = 0; id < 10; ++id) {
            REQUIRE(script.sweep.state() == SweepState::running);
            script.report(id, 1, /*loss=*/0.5);
        }
        CHECK(script.sweep.state() == SweepState::finished);
        CHECK(script.sweep.trials().size() == 10);
    }
}

TEST_CASE("a proposal from an event does not make the sweep skip a point of the grid") {
    Script script(grid_spec(/*run_cap=*/50));
    script.sweep.apply(TrialProposed{TrialId{0}, {{"a", std::int64_t{2}}, {"b", false}}});
    script.join(1);
    std::set<Config> seen;
    for (int id = 0; script.sweep.state() == SweepState::running; ++id) {
        seen.insert(script.trial(id).config);
        script.report(id, 1, /*loss=*/0.5);
    }

    CHECK(seen.size() == 10);
    CHECK(script.sweep.trials().size() == 10);
}
