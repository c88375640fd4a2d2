#include "scheduler/growth/regroup_times.hpp"

#include <doctest/doctest.h>

using namespace crescendo;

TEST_CASE("before a group has changed, nobody knows how long that takes") {
    CHECK_FALSE(RegroupTimes().seconds(1, 2).has_value());
}

TEST_CASE("one slow regroup among others changes nothing") {
    RegroupTimes times;
    times.note(1, 2, 3.0);
    times.note(1, 2, 60.0);
    times.note(1, 2, 2.0);

    CHECK(times.seconds(1, 2) == 3.0);
}

TEST_CASE("a change that nobody measured takes as long as the next wider one, or as the widest") {
    RegroupTimes times;
    times.note(1, 2, 2.0);
    times.note(4, 8, 8.0);

    CHECK(times.seconds(2, 4) == 8.0);
    CHECK(times.seconds(8, 16) == 8.0);
    CHECK(times.seconds(4, 2) == 8.0);
    CHECK(times.seconds(1, 2) == 2.0);
}

TEST_CASE("only the last few regroups count") {
    RegroupTimes times;
    for (int i = 0; i < 9; ++i) {
        times.note(1, 2, 30.0);
    }
    for (int i = 0; i < 5; ++i) {
        times.note(1, 2, 0.1);
    }

    CHECK(times.seconds(1, 2) == 0.1);
}
