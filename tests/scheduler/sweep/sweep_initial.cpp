/// Sweeps with initial points, and sweeps that do not try a configuration twice.

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "scheduler/samplers/random_sampler.hpp"
#include "tests/scheduler/script.hpp"

using namespace crescendo;

namespace {

Value whole(std::int64_t number) { return number; }

/// 4 x 3 configurations.
SweepSpec searching(const std::string& sampler, int run_cap) {
    auto spec = spec_of(SchedulerKind::asha, run_cap, /*max=*/4);
    spec.space = SearchSpace({{"x", IntUniform{0, 3}}, {"y", IntUniform{0, 2}}});
    spec.sampler = sampler;
    return spec;
}

/// Reports for random running trials until the sweep is over.
void train_all(Script& script, std::uint64_t seed) {
    CounterRandom random(seed, 0);
    while (script.sweep.state() == SweepState::running) {
        const auto id = static_cast<int>(random.below(script.sweep.trials().size()));
        if (script.trial(id).status == TrialStatus::running) {
            script.report(id, static_cast<int>(script.trial(id).resource.value) + 1, random.uniform());
        }
    }
}

std::size_t num_distinct(const Script& script) {
    std::set<Config> distinct;
    for (const auto& trial : script.sweep.trials()) {
        distinct.insert(trial.config);
    }
    return distinct.size();
}

const std::vector<std::string> own_samplers{"grid", "random", "sobol", "tpe"};

}  // namespace

TEST_CASE("initial points are the first trials for every sampler, and the sampler proposes the rest") {
    for (const auto& sampler : own_samplers) {
        CAPTURE(sampler);
        auto spec = searching(sampler, /*run_cap=*/4);
        spec.initial = {{{"x", whole(2)}, {"y", whole(1)}}, {{"y", whole(2)}}};
        Script script(spec);
        script.join(4);

        CHECK(script.trial(0).config == spec.initial[0]);
        CHECK(script.trial(1).config[1].second == whole(2));
        CHECK(script.trial(0).origin == Origin::initial);
        CHECK(script.trial(1).origin == Origin::initial);
        CHECK(script.trial(2).origin != Origin::initial);
    }
}

TEST_CASE("the sampler chooses the values that an initial point leaves open") {
    auto spec = searching("random", /*run_cap=*/3);
    const auto proposed = RandomSampler(spec.space, spec.seed).propose(TrialId{0})->config;
    spec.initial = {{{"y", whole(2)}}};
    Script script(spec);
    script.join(1);

    CHECK(script.trial(0).config == Config{proposed[0], {"y", whole(2)}});
}

TEST_CASE("an initial point needs no proposal event, but a proposal event for its trial replaces it") {
    auto spec = searching("program", /*run_cap=*/4);
    spec.initial = {{{"x", whole(2)}}, {{"x", whole(3)}}};
    Script script(spec);
    script.apply(TrialProposed{TrialId{1}, {{"x", whole(0)}, {"y", whole(0)}}});

    CHECK(script.sweep.first_unproposed() == TrialId{2});
    CHECK(script.join(3) == "start 0 on 0 g0 b1; start 1 on 1 g0 b1");
    CHECK(script.trial(0).config[0].second == whole(2));
    CHECK(script.trial(1).config[0].second == whole(0));
    CHECK(script.sweep.awaited_proposal() == TrialId{2});
}

TEST_CASE("initial points start even if the sampler has ended") {
    auto spec = searching("program", /*run_cap=*/4);
    spec.initial = {{{"x", whole(2)}}, {{"x", whole(3)}}};
    Script script(spec);
    script.apply(ProposalsEnded{});

    CHECK(script.join(1) == "start 0 on 0 g0 b1");
    CHECK(script.finish(0) == "drop 0; start 1 on 0 g0 b1");
    CHECK(script.finish(1) == "drop 1; finish all_trials_done best none");
}

TEST_CASE("no sampler tries a configuration twice while there are others") {
    for (const auto& sampler : own_samplers) {
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            CAPTURE(sampler);
            CAPTURE(seed);
            auto spec = searching(sampler, /*run_cap=*/12);
            spec.seed = seed;
            spec.initial = {{{"x", whole(1)}}, {{"x", whole(1)}}, {{"x", whole(1)}}};
            Script script(spec);
            script.join(2);
            train_all(script, seed);

            CHECK(num_distinct(script) == 12);
        }
    }
}

TEST_CASE("a sweep with more trials than configurations tries some again, except with a grid") {
    for (const auto& sampler : own_samplers) {
        CAPTURE(sampler);
        Script script(searching(sampler, /*run_cap=*/20));
        script.join(2);
        train_all(script, /*seed=*/1);

        CHECK(num_distinct(script) == 12);
        CHECK(script.sweep.trials().size() == (sampler == "grid" ? 12 : 20));
    }
}

TEST_CASE("a point that is requested twice is tried twice") {
    auto spec = searching("random", /*run_cap=*/3);
    spec.initial = {{{"x", whole(2)}, {"y", whole(1)}}, {{"x", whole(2)}, {"y", whole(1)}}};
    Script script(spec);
    script.apply(TrialProposed{TrialId{2}, spec.initial[0]});
    script.join(3);

    CHECK(num_distinct(script) == 1);
}

TEST_CASE("a replay finds the same trials, with and without the recorded configurations") {
    for (const auto& sampler : own_samplers) {
        CAPTURE(sampler);
        auto spec = searching(sampler, /*run_cap=*/12);
        spec.initial = {{{"x", whole(1)}}, {{"y", whole(2)}}};
        Script first(spec);
        Script again(spec);
        Script recorded(spec);
        for (auto* each : {&first, &again, &recorded}) {
            each->join(2);
        }
        CounterRandom random(/*seed=*/5, 0);
        while (first.sweep.state() == SweepState::running) {
            const auto id = static_cast<int>(random.below(first.sweep.trials().size()));
            if (first.trial(id).status == TrialStatus::running) {
                recorded.apply(TrialProposed{TrialId{id}, first.trial(id).config});
                const int resource = static_cast<int>(first.trial(id).resource.value) + 1;
                const double loss = random.uniform();
                const auto actions = first.report(id, resource, loss);
                CHECK(again.report(id, resource, loss) == actions);
                CHECK(recorded.report(id, resource, loss) == actions);
            }
        }
        for (const auto& trial : first.sweep.trials()) {
            for (const auto* each : {&again, &recorded}) {
                CHECK(each->trial(trial.id.value).config == trial.config);
                CHECK(each->trial(trial.id.value).origin == trial.origin);
            }
        }
    }
}
