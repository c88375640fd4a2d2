#include "scheduler/growth/regroup_times.hpp"

#include <doctest/doctest.h>

using namespace crescendo;

TEST_CASE("the time of a regroup is unknown before the first one") {
    CHECK_FALSE(RegroupTimes().seconds(1, 2).has_value());
}

TEST_CASE("one slow regroup among others changes nothing") {
    RegroupTimes times;
    times.note(1, 2, 3.0);
    times.note(1, 2, 60.0);
    times.note(1, 2, 2.0);

    CHECK(times.seconds(1, 2) == 3.0);
}

TEST_CASE("an unmeasured regroup takes as long as the next wider one, or as the widest") {
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
