#include "tests/launch/commands/old_sweep.hpp"

using namespace crescendo::tests;

TEST_CASE("note keeps the user's text about the sweep or a trial, and status shows it") {
    const OldSweep sweep;

    CHECK(sweep.run({"note", "s", "1", "diverged: \"lr\" too high"}).out == "trial 1: noted\n");
    CHECK(sweep.run({"note", "s", "new data"}).out == "the sweep: noted\n");

    const auto notes = sweep.run({"status", "s", "--format", "json"}).json().at("notes");
    REQUIRE(notes.size() == 2);
    CHECK(notes[0].at("trial") == 1);
    CHECK(notes[0].at("text") == "diverged: \"lr\" too high");
    CHECK_FALSE(notes[1].contains("trial"));
    CHECK(contains(sweep.run({"status", "s"}).out, "trial 1: diverged: \"lr\" too high; new data"));
}

TEST_CASE("note refuses words without quotes and trials that do not exist") {
    const OldSweep sweep;

    const auto loose = sweep.run({"note", "s", "1", "two", "words"});
    CHECK(loose.code == 2);
    CHECK(contains(loose.err, "a note is one argument; write it in quotes"));
    CHECK(contains(sweep.run({"note", "s", "first", "text"}).err, "'first' is not a trial"));
    CHECK(contains(sweep.run({"note", "s", "7", "text"}).err, "trial 7 has not started"));
    CHECK(sweep.run({"note", "s"}).code == 2);
}
