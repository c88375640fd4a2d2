#include "launch/messages/supervision.hpp"

#include <doctest/doctest.h>

using namespace crescendo::launch;

TEST_CASE("how workers are heard of survives its way to another node") {
    Supervision supervision{.metric = "loss",
                            .report = ReportSource{{"(?P<loss>.*)"}, "log", 0},
                            .hang_timeout = std::chrono::milliseconds(1500)};
    CHECK(Json(supervision).get<Supervision>() == supervision);

    supervision.report.reset();
    CHECK(Json(supervision).get<Supervision>() == supervision);
    CHECK(Json(Supervision()).get<Supervision>() == Supervision());
}
