#include "tests/launch/commands/old_sweep.hpp"

using namespace crescendo::tests;

TEST_CASE("trials lists every trial with its parameters and results") {
    const OldSweep sweep;

    const auto trials = sweep.run({"trials", "s", "--format", "json"}).json();

    REQUIRE(trials.size() == 2);
    CHECK(trials[0].at("status") == "finished");
    CHECK(trials[0].at("resource") == 3);
    CHECK(trials[0].at("loss") == 0.6);
    CHECK(trials[0].contains("a"));
    CHECK(trials[1].at("resource") == 1);
    CHECK(trials[0].at("reason") == "completed");
    CHECK(trials[1].at("reason").is_null());
    CHECK(trials[0].at("cost").is_null());
}

TEST_CASE("trials as CSV are one line each below the headings") {
    const OldSweep sweep;

    const auto csv = sweep.run({"trials", "s", "--format", "csv"}).out;

    CHECK(csv.starts_with("trial,status,resource"));
    CHECK(std::count(csv.begin(), csv.end(), '\n') == 3);
}

TEST_CASE("trials say what each of them cost, if there is a price") {
    const OldSweep sweep;

    const auto trials = sweep.run({"trials", "s", "--price", "slot_hour=2", "--format", "json"}).json();

    CHECK(trials[0].at("slot_hours") > 0.0);
    CHECK(trials[0].at("cost").get<double>() == doctest::Approx(2 * trials[0].at("slot_hours").get<double>()));
}
