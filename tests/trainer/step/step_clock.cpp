#include "trainer/step/step_clock.hpp"

#include <doctest/doctest.h>

using namespace crescendo::trainer;

TEST_CASE("a group's first step and an epoch's short last step do not count") {
    StepClock clock;
    clock.add(9, /*full=*/true);
    clock.add(2, /*full=*/true);
    clock.add(4, /*full=*/true);
    clock.add(0.5, /*full=*/false);

    CHECK(clock.take() == 3);
}

TEST_CASE("a report takes the mean of the steps since the last report, or nothing if none counted") {
    StepClock clock;
    clock.add(9, /*full=*/false);

    CHECK_FALSE(clock.take());
    clock.add(2, /*full=*/true);
    CHECK(clock.take() == 2);
    CHECK_FALSE(clock.take());
}

TEST_CASE("the wait for the device after the last step counts only if a step was counted") {
    StepClock clock;
    clock.wait(7);
    clock.add(9, /*full=*/true);
    clock.wait(7);
    CHECK_FALSE(clock.mean());
    clock.add(2, /*full=*/true);
    clock.add(3, /*full=*/true);
    clock.wait(1);

    CHECK(clock.take() == 3);
}

TEST_CASE("warm-up steps count only until there are others") {
    StepClock clock;
    for (const double seconds : {9.0, 6.0, 4.0}) {
        clock.add(seconds, /*full=*/true);
    }
    clock.end_warm_up();
    CHECK(clock.mean() == 5);
    clock.add(2, /*full=*/true);
    clock.add(3, /*full=*/true);

    CHECK(clock.take() == 2.5);
}

TEST_CASE("the mean so far can be read without taking it") {
    StepClock clock;
    CHECK_FALSE(clock.mean());
    clock.add(9, /*full=*/true);
    clock.add(2, /*full=*/true);

    CHECK(clock.mean() == 2);
    CHECK(clock.take() == 2);
}
