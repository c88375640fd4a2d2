#include "launch/coordinator/nothing_finite.hpp"

#include <doctest/doctest.h>

#include "scheduler/loss.hpp"

using namespace crescendo;
using namespace crescendo::launch;

TEST_CASE("five trials without any finite value are noticed, once") {
    NothingFinite nothing;

    for (int id = 0; id < 4; ++id) {
        CHECK_FALSE(nothing.note(TrialId{id}, worst_loss));
        CHECK_FALSE(nothing.note(TrialId{id}, worst_loss));  // of the same trial
    }
    CHECK(nothing.note(TrialId{4}, worst_loss));
    CHECK_FALSE(nothing.note(TrialId{5}, worst_loss));
}

TEST_CASE("one finite value is enough to go on in silence") {
    NothingFinite nothing;
    nothing.note(TrialId{0}, worst_loss);
    nothing.note(TrialId{1}, 0.5);

    for (int id = 2; id < 10; ++id) {
        CHECK_FALSE(nothing.note(TrialId{id}, worst_loss));
    }
}
