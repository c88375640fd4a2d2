#include "launch/sampling/proposal_source.hpp"

#include <doctest/doctest.h>

using namespace crescendo;
using namespace crescendo::launch;

TEST_CASE("a sampler that is part of the state machine has nothing to add to it") {
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
