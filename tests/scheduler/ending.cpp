#include "scheduler/ending.hpp"

#include <doctest/doctest.h>

using namespace crescendo;

TEST_CASE("a trial that came to its end, or met its target, is complete with and without rungs") {
    for (const auto reason : {StopReason::completed, StopReason::reached}) {
        for (const bool has_rungs : {false, true}) {
            CHECK(ending_of(reason, /*has_value=*/true, has_rungs) == Ending::complete);
        }
    }
}

TEST_CASE("a trial that improves no more, or has no more time, is complete where there are no rungs") {
    for (const auto reason : {StopReason::no_progress, StopReason::timed_out}) {
        CHECK(ending_of(reason, /*has_value=*/true, /*has_rungs=*/false) == Ending::complete);
        CHECK(ending_of(reason, /*has_value=*/true, /*has_rungs=*/true) == Ending::none);
        CHECK(ending_of(reason, /*has_value=*/false, /*has_rungs=*/false) == Ending::lost);
    }
}

TEST_CASE("a trial that a rung, a user or its failures end has lost, and one that ends with its sweep has not") {
    for (const auto reason : {StopReason::judged, StopReason::requested, StopReason::failed}) {
        CHECK(ending_of(reason, /*has_value=*/true, /*has_rungs=*/true) == Ending::lost);
    }
    CHECK(ending_of(StopReason::swept, /*has_value=*/true, /*has_rungs=*/true) == Ending::none);
    CHECK(ending_of({}, /*has_value=*/true, /*has_rungs=*/false) == Ending::none);
}
