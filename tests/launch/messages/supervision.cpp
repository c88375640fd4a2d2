#include "launch/messages/supervision.hpp"

#include <doctest/doctest.h>

using namespace crescendo::launch;

TEST_CASE("supervision settings reach another node unchanged") {
    Supervision supervision{.metric = "loss",
                            .report = ReportSource{{"(?P<loss>.*)"}, "log", 0},
                            .hang_timeout = std::chrono::milliseconds(1500)};
    CHECK(Json(supervision).get<Supervision>() == supervision);

    supervision.report.reset();
    CHECK(Json(supervision).get<Supervision>() == supervision);
    CHECK(Json(Supervision()).get<Supervision>() == Supervision());
}
