#include <doctest/doctest.h>

#include "fake_crescendo.hpp"
#include "record.hpp"
#include "sweep_fixture.hpp"

using namespace crescendo::trainer::test;

TEST_CASE("survivors of a killed peer form a smaller group and lose nothing but the step they were in") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(3, "recording-trainer", sweep.recording(/*gate_step=*/4));
    Terms terms = sweep.terms("trial");
    terms.batch_multiple = 3;  // a step is 24 samples
    terms.settings["batch_size"] = 4;
    crescendo.join({0, 1, 2}, "new", terms);
    crescendo.await(0, "regrouped");
    await_step(sweep.record(), 4, /*num_members=*/3);

    crescendo.kill(0);  // the one that held the state for the others
    sweep.open_gate();
    crescendo.join({1, 2}, "memory", terms);
    const Json report = crescendo.await(1, "report");

    CHECK(report["resource"] == 1);
    CHECK(samples_by_epoch(sweep.record()).at(0) == each_once(sweep.num_samples));
}

TEST_CASE("the last survivor goes on alone") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "recording-trainer", sweep.recording(/*gate_step=*/4));
    crescendo.join({0, 1}, "new", sweep.terms("trial"));
    crescendo.await(0, "regrouped");
    await_step(sweep.record(), 4, 2);

    crescendo.kill(1);
    sweep.open_gate();
    crescendo.join({0}, "memory", sweep.terms("trial"));

    CHECK(crescendo.await(0, "report")["resource"] == 1);
    CHECK(samples_by_epoch(sweep.record()).at(0) == each_once(sweep.num_samples));
}

TEST_CASE("a new rank 0 repeats the report that its predecessor may have died with") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "crescendo-trainer");
    const Json report = crescendo.train({0, 1}, "new", sweep.terms("trial"), 1);

    crescendo.kill(0);
    crescendo.join({1}, "memory", sweep.terms("trial"));

    const Json repeated = crescendo.await(1, "report");
    CHECK(repeated["resource"] == 1);
    CHECK(repeated["metrics"] == report["metrics"]);
    crescendo.go_on({1}, sweep.terms("trial"));
    CHECK(crescendo.await(1, "report")["resource"] == 2);
}

TEST_CASE("a peer that dies while the group forms leaves the others free for the next group") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(3, "crescendo-trainer");
    crescendo.kill(2);

    crescendo.join({0, 1}, "new", sweep.terms("trial"));
    crescendo.await(0, "regrouped");
    crescendo.join({0, 2}, "memory", sweep.terms("trial"));  // nobody answers as rank 1
    crescendo.join({0, 1}, "memory", sweep.terms("trial"));

    CHECK(crescendo.await(0, "report")["resource"] == 1);
}

TEST_CASE("a peer that only stands still does not hold the others for longer than the time-out") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "crescendo-trainer", {{"CRESCENDO_GROUP_TIMEOUT", "5"}});
    crescendo.train({0, 1}, "new", sweep.terms("trial"), 1);

    crescendo.stop(1);
    crescendo.go_on({0}, sweep.terms("trial"));
    crescendo.join({0}, "memory", sweep.terms("trial"));

    CHECK(crescendo.await(0, "report")["resource"] == 2);
}

TEST_CASE("a survivor that gets no order gives up, with the reason") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "crescendo-trainer", {{"CRESCENDO_GROUP_TIMEOUT", "5"}});
    crescendo.train({0, 1}, "new", sweep.terms("trial"), 1);

    crescendo.kill(1);
    crescendo.go_on({0}, sweep.terms("trial"));

    const Json failed = crescendo.await(0, "failed");
    CHECK(failed["kind"] == "error");
    CHECK(failed["message"].get<std::string>().find("generation 1 lost its group") == 0);
    CHECK(crescendo.wait_for_end(0) == 1);
}
