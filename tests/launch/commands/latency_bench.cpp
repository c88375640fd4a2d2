/// The best trial that answers in time, from kept and new measurements.

#include "tests/launch/commands/measured_sweep.hpp"
#include "tests/launch/commands/old_sweep.hpp"

using namespace crescendo::tests;

TEST_CASE("best --within tries the best trials first and does not repeat a measurement") {
    const MeasuredSweep sweep;

    const auto first = sweep.run({"best", "s", "--within", "9ms", "--format", "json"});
    CHECK(first.json().at("trial") == 0);
    REQUIRE(sweep.orders().size() == 1);
    CHECK(sweep.orders()[0].at("checkpoint") != "");

    const auto second = sweep.run({"best", "s", "--within", "8.5ms", "--format", "json"});
    CHECK(second.json().at("trial") == 1);
    REQUIRE(sweep.orders().size() == 2);
    CHECK(sweep.orders()[1].at("trial") == 1);
    CHECK(sweep.orders()[1].at("checkpoint") == "");  // its checkpoint is gone, but the time does not depend on it

    const auto again = sweep.run({"best", "s", "--within", "8500us", "--format", "json"});
    CHECK(again.json().at("trial") == 1);
    CHECK(sweep.orders().size() == 2);

    sweep.run({"best", "s", "--within", "9ms", "--threads", "2"});
    CHECK(sweep.orders().size() == 3);  // until now, it was measured with one thread
}

TEST_CASE("if no trial answers in time, the fastest is named") {
    const MeasuredSweep sweep;

    const auto result = sweep.run({"best", "s", "--within", "1ms"});

    CHECK(result.code == 1);
    CHECK(result.out.empty());
    CHECK(contains(result.err, "no trial is fast enough; the fastest is trial 1, with 8 ms"));
}

TEST_CASE("a time without a unit is refused, and so is --threads without a time") {
    const MeasuredSweep sweep;

    CHECK(sweep.run({"best", "s", "--within", "2"}).code == 2);
    CHECK(sweep.run({"best", "s", "--threads", "2"}).code == 2);
    CHECK(sweep.run({"best", "s"}).code == 0);
    CHECK(sweep.orders().empty());
}
