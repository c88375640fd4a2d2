#include "launch/process/guard.hpp"

#include <doctest/doctest.h>

using namespace crescendo::launch;

TEST_CASE("a guard gets the time to leave in milliseconds, and then the command") {
    const std::vector<std::string> expected{"/bin/guard", "5000", "python", "train.py"};
    CHECK(guarded("/bin/guard", std::chrono::seconds(5), {"python", "train.py"}) == expected);
}
