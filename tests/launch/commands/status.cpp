#include "tests/launch/commands/old_sweep.hpp"

using namespace crescendo::tests;

TEST_CASE("status says how far a sweep is that nobody works on") {
    const OldSweep sweep;

    const auto status = sweep.run({"status", "s", "--format", "json"}).json();

    CHECK(status.at("name") == "old");
    CHECK(status.at("state") == "stopped");
    CHECK(status.at("trials").at("begun") == 2);
    CHECK(status.at("best").at("trial") == 0);
    CHECK(status.at("best").at("loss") == 0.6);
    CHECK(status.at("limits").at("run_cap") == 4);
}

TEST_CASE("status is a table of the same words, for people or for a spreadsheet") {
    const OldSweep sweep;

    CHECK(contains(sweep.run({"status", "s"}).out, "stopped"));
    const auto csv = sweep.run({"status", "s", "--format", "csv"}).out;
    CHECK(csv.starts_with("what,value\n"));
    CHECK(contains(csv, "\nstate,stopped\n"));
    CHECK(contains(csv, "begun 2, running 0, waiting 1"));
}
