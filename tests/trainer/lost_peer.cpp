#include <doctest/doctest.h>

#include <fstream>

#include "tests/trainer/fake_crescendo.hpp"
#include "tests/trainer/gate.hpp"
#include "tests/trainer/record.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "tests/trainer/transports.hpp"

using namespace crescendo::trainer::test;

namespace {

/// Tells the fake NCCL of these trainers what should go wrong in a call.
void tell_nccl(const SweepFixture& sweep, const std::string& call, const std::string& order) {
    std::ofstream(sweep.folder / call) << order;
}

/// How a trainer fails if its NCCL fails as ordered while its peer waits for it.
Json failure_of_nccl(const std::string& order) {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "recording-trainer", OverNccl::recording(sweep));
    tell_nccl(sweep, "init.0", order);
    crescendo.join({0, 1}, "new", sweep.terms("trial"));
    return crescendo.await(0, "failed");
}

}  // namespace

TEST_CASE_TEMPLATE("survivors of a killed peer form a smaller group and lose nothing but the step they were in",
                   Transport, OverGloo, OverNccl) {
    const SweepFixture sweep;
    FakeCrescendo crescendo(3, "recording-trainer", Transport::recording(sweep, /*gate_step=*/4));
    Terms terms = sweep.terms("trial");
    terms.batch_multiple = 3;  // a step has 24 samples
    terms.settings["batch_size"] = 4;
    train_up_to_gate(crescendo, sweep, {0, 1, 2}, terms, /*gate_step=*/4);

    crescendo.kill(0);  // the one that held the state for the others
    sweep.open_gate();
    crescendo.join({1, 2}, "memory", terms);
    const Json report = crescendo.await(1, "report");

    CHECK(report["resource"] == 1);
    CHECK(samples_by_epoch(sweep.record()).at(0) == each_once(sweep.num_samples));
}

TEST_CASE_TEMPLATE("the last survivor continues alone", Transport, OverGloo, OverNccl) {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "recording-trainer", Transport::recording(sweep, /*gate_step=*/4));
    train_up_to_gate(crescendo, sweep, {0, 1}, sweep.terms("trial"), /*gate_step=*/4);

    crescendo.kill(1);
    sweep.open_gate();
    crescendo.join({0}, "memory", sweep.terms("trial"));

    CHECK(crescendo.await(0, "report")["resource"] == 1);
    CHECK(samples_by_epoch(sweep.record()).at(0) == each_once(sweep.num_samples));
}

TEST_CASE_TEMPLATE("a new rank 0 repeats the report that its predecessor may have died with", Transport, OverGloo,
                   OverNccl) {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "recording-trainer", Transport::recording(sweep));
    const Json report = crescendo.train({0, 1}, "new", sweep.terms("trial"), 1);
    Transport::await_member(sweep);

    crescendo.kill(0);
    crescendo.join({1}, "memory", sweep.terms("trial"));

    const Json repeated = crescendo.await(1, "report");
    CHECK(repeated["resource"] == 1);
    CHECK(repeated["metrics"] == report["metrics"]);
    crescendo.go_on({1}, sweep.terms("trial"));
    CHECK(crescendo.await(1, "report")["resource"] == 2);
}

TEST_CASE_TEMPLATE("a peer that dies while the group forms leaves the others free for the next group", Transport,
                   OverGloo, OverNccl) {
    const SweepFixture sweep;
    FakeCrescendo crescendo(3, "recording-trainer", Transport::recording(sweep));
    crescendo.kill(2);

    crescendo.join({0, 1}, "new", sweep.terms("trial"));
    crescendo.await(0, "regrouped");
    crescendo.join({0, 2}, "memory", sweep.terms("trial"));  // rank 1 is dead
    crescendo.join({0, 1}, "memory", sweep.terms("trial"));

    CHECK(crescendo.await(0, "report")["resource"] == 1);
}

TEST_CASE("a stopped peer does not block the others for longer than the time-out") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "crescendo-trainer", {{"CRESCENDO_GROUP_TIMEOUT", "5"}});
    crescendo.train({0, 1}, "new", sweep.terms("trial"), 1);

    crescendo.stop(1);
    crescendo.go_on({0}, sweep.terms("trial"));
    crescendo.join({0}, "memory", sweep.terms("trial"));

    CHECK(crescendo.await(0, "report")["resource"] == 2);
}

TEST_CASE_TEMPLATE("a survivor reports that it is stranded and keeps its state until the next order", Transport,
                   OverGloo, OverNccl) {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "recording-trainer", Transport::recording(sweep));
    crescendo.train({0, 1}, "new", sweep.terms("trial"), 1);

    crescendo.kill(1);
    crescendo.go_on({0}, sweep.terms("trial"));

    const Json stranded = crescendo.await(0, "stranded");
    CHECK(stranded["trial"] == 0);
    CHECK(stranded["generation"] == 1);
    crescendo.join({0}, "memory", sweep.terms("trial"));
    CHECK(crescendo.await(0, "report")["resource"] == 2);
}

TEST_CASE_TEMPLATE("members that are all stranded come together again in their generation", Transport, OverGloo,
                   OverNccl) {
    const SweepFixture sweep;
    Environment variables = Transport::recording(sweep);
    variables.emplace_back("CRESCENDO_GROUP_TIMEOUT", "5");
    FakeCrescendo crescendo(2, "recording-trainer", variables);
    crescendo.train({0, 1}, "new", sweep.terms("trial"), 1);
    crescendo.go_on({0}, sweep.terms("trial"));  // the other one does not know and does not take part
    crescendo.await(0, "stranded");
    crescendo.go_on({1}, sweep.terms("trial"));
    crescendo.await(1, "stranded");

    crescendo.join({0, 1}, "memory", sweep.terms("trial"));

    CHECK(crescendo.await(0, "report")["resource"] == 2);
}

TEST_CASE("rank 0 continues from the checkpoint if it has no state in memory") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.checkpoint_at = 2;
    const Json report = crescendo.train({0}, "new", terms, 2);

    crescendo.kill(0);  // just when the group should grow
    crescendo.join({1}, "memory", terms);

    const Json repeated = crescendo.await(1, "report");
    CHECK(repeated["resource"] == 2);
    CHECK(repeated["metrics"] == report["metrics"]);
    CHECK(content(terms.directory / "trainer.log")
              .find("with the workers that held it; it continues from its checkpoint\n") != std::string::npos);
}

TEST_CASE("rank 0 begins again if it has neither a state in memory nor a checkpoint") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    const Terms terms = sweep.terms("trial");

    crescendo.join({0}, "memory", terms);

    CHECK(crescendo.await(0, "report")["resource"] == 1);
    CHECK(content(terms.directory / "trainer.log").find("with the workers that held it; it begins again\n") !=
          std::string::npos);
}

TEST_CASE("a regroup order that crosses a report is not taken as the answer to it") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.settings["batch_size"] = 4;
    crescendo.train({0, 1}, "new", terms, 1);

    terms.reported = 0;  // the report is still on its way
    crescendo.join({0, 1}, "memory", terms);
    terms.batch_multiple = 3;
    crescendo.go_on({0, 1}, terms);
    crescendo.await(0, "report");

    CHECK(content(sweep.folder / "trial/trainer.log").find("epoch 2, 2 workers, batch 12:") != std::string::npos);
}

TEST_CASE("a peer that dies while NCCL forms the group leaves the other free for the next order") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(2, "recording-trainer", OverNccl::recording(sweep));
    tell_nccl(sweep, "init.1", "hang");
    crescendo.join({0, 1}, "new", sweep.terms("trial"));
    crescendo.await_file(sweep.folder / "forming.0");  // rank 0 waits for rank 1

    crescendo.kill(1);
    crescendo.join({0}, "new", sweep.terms("trial"));

    CHECK(crescendo.await(0, "report")["resource"] == 1);
}

TEST_CASE("a new order frees a worker from an NCCL collective with a stopped peer long before the time-out") {
    const SweepFixture sweep;
    Environment variables = OverNccl::recording(sweep);
    variables.emplace_back("CRESCENDO_GROUP_TIMEOUT", "3600");
    FakeCrescendo crescendo(2, "recording-trainer", variables);
    crescendo.train({0, 1}, "new", sweep.terms("trial"), 1);

    crescendo.stop(1);
    crescendo.go_on({0}, sweep.terms("trial"));
    crescendo.join({0}, "memory", sweep.terms("trial"));

    CHECK(crescendo.await(0, "report")["resource"] == 2);
}

TEST_CASE("an NCCL error of this worker fails the trainer with NCCL's words and is not blamed on a peer") {
    const Json duplicate = failure_of_nccl("fail 5 Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 1");
    CHECK(duplicate["kind"] == "error");
    CHECK(duplicate["message"].get<std::string>().find("Duplicate GPU detected") != std::string::npos);

    CHECK(failure_of_nccl("fail 1 Cuda failure 2 'out of memory'")["kind"] == "out_of_memory");
}
