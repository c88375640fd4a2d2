#include "launch/sampling/first_trials.hpp"

#include <doctest/doctest.h>

using namespace crescendo;
using namespace crescendo::launch;

TEST_CASE("first_trials() gives the trials that a sweep starts with") {
    const auto file = parse_sweep(
        "metric: {name: loss}\nrun_cap: 9\nseed: 4\nparameters: {x: {min: 0.0, max: 9.0}}\n"
        "scheduler: {type: asha, max: 9}\n",
        "sweep.yaml");
    Sweep begun(file.spec);
    begun.apply(SlotsJoined{{{SlotId{0}, NodeId{0}}, {SlotId{1}, NodeId{0}}}});

    const auto sweep = first_trials(file, 3, nullptr);

    REQUIRE(sweep.trials().size() == 3);
    REQUIRE(begun.trials().size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(sweep.trials()[i].config == begun.trials()[i].config);
    }
}

TEST_CASE("a grid may have fewer trials than requested") {
    const auto file = parse_sweep(
        "metric: {name: loss}\nmethod: grid\nparameters: {x: {values: [1, 2]}}\nscheduler: {type: fifo, max: 1}\n",
        "sweep.yaml");
    CHECK(first_trials(file, 5, nullptr).trials().size() == 2);
}
