#include "launch/sampling/proposal_source.hpp"

#include <doctest/doctest.h>

#include <thread>

#include "tests/no_more_threads.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::NoMoreThreads;

namespace {

SweepFile file_with_model() {
    return parse_sweep(
        "metric: {name: loss}\nrun_cap: 30\nmethod: gp\nparameters: {x: {min: 0.0, max: 9.0}}\n"
        "scheduler: {type: fifo, max: 1}\n",
        "sweep.yaml");
}

}  // namespace

TEST_CASE("a model is asked on another thread, and its answer is for the awaited trial") {
    const auto file = file_with_model();
    Sweep sweep(file.spec);
    const auto source = make_source(file, {});
    CHECK_FALSE(source->next(sweep).has_value());  // there is no slot yet
    CHECK_FALSE(source->patience().has_value());
    sweep.apply(SlotsJoined{{{SlotId{0}, NodeId{0}}}});

    while (sweep.state() == SweepState::running) {
        auto event = source->next(sweep);
        while (!event) {
            REQUIRE(source->patience().has_value());
            std::this_thread::sleep_for(*source->patience());
            event = source->next(sweep);
        }
        const auto trial = std::get<TrialProposed>(*event).trial;
        CHECK(trial == sweep.awaited_proposal());
        sweep.apply(*event);
        sweep.apply(TrialReported{trial, Resource{1}, std::get<double>(sweep.trial(trial).config[0].second)});
    }

    CHECK(sweep.trials().size() == 30);
    CHECK(sweep.trial(*sweep.best()).origin == Origin::model);
}

TEST_CASE("a model is asked on this thread if no other can be created") {
    const auto file = file_with_model();
    Sweep sweep(file.spec);
    const auto source = make_source(file, {});
    sweep.apply(SlotsJoined{{{SlotId{0}, NodeId{0}}}});
    const NoMoreThreads no_more_threads;

    const auto event = source->next(sweep);

    REQUIRE(event.has_value());
    CHECK(std::get<TrialProposed>(*event).trial == sweep.awaited_proposal());
}

TEST_CASE("a sampler within the state machine adds no events") {
    const auto file = parse_sweep(
        "metric: {name: loss}\nrun_cap: 3\nparameters: {x: {min: 0, max: 9}}\nscheduler: {type: fifo, max: 2}\n",
        "sweep.yaml");
    Sweep sweep(file.spec);
    const auto source = make_source(file, {});

    sweep.apply(SlotsJoined{{{SlotId{0}, NodeId{0}}}});

    CHECK(sweep.trials().size() == 1);
    CHECK_FALSE(source->next(sweep).has_value());
    CHECK_FALSE(source->patience().has_value());
}
