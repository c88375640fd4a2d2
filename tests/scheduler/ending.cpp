#include "scheduler/ending.hpp"

#include <doctest/doctest.h>

using namespace crescendo;

TEST_CASE("a trial that completes or meets its target is complete, with or without rungs") {
    for (const auto reason : {StopReason::completed, StopReason::reached}) {
        for (const bool has_rungs : {false, true}) {
            CHECK(ending_of(reason, /*has_value=*/true, has_rungs) == Ending::complete);
        }
    }
}

TEST_CASE("a trial that stops improving or runs out of time is complete only without rungs") {
    for (const auto reason : {StopReason::no_progress, StopReason::timed_out}) {
        CHECK(ending_of(reason, /*has_value=*/true, /*has_rungs=*/false) == Ending::complete);
        CHECK(ending_of(reason, /*has_value=*/true, /*has_rungs=*/true) == Ending::none);
        CHECK(ending_of(reason, /*has_value=*/false, /*has_rungs=*/false) == Ending::lost);
    }
}

TEST_CASE("a trial is lost if a rung, a user or its failures end it, but not if its sweep ends") {
    for (const auto reason : {StopReason::judged, StopReason::requested, StopReason::failed}) {
        CHECK(ending_of(reason, /*has_value=*/true, /*has_rungs=*/true) == Ending::lost);
    }
    CHECK(ending_of(StopReason::swept, /*has_value=*/true, /*has_rungs=*/true) == Ending::none);
    CHECK(ending_of({}, /*has_value=*/true, /*has_rungs=*/false) == Ending::none);
}
