#include "trainer/profile/part_times.hpp"

#include <ATen/ATen.h>

#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;

TEST_CASE("only marked parts are timed, by name") {
    const auto device = make_cpu_device();
    const auto work = [] {
        { RECORD_USER_SCOPE("crescendo::forward"); }
        { RECORD_USER_SCOPE("gloo:all_reduce"); }
    };
    work();  // not timed yet
    PartTimes times(*device);
    for (int i = 0; i < 3; ++i) {
        work();
        { RECORD_USER_SCOPE("crescendo::backward"); }
    }

    const auto all = times.take();

    CHECK(all.size() == 2);
    CHECK(all.at("forward") > 0);
    CHECK(all.at("backward") > 0);
    CHECK(times.take().empty());
}
