#include "tests/launch/commands/measured_sweep.hpp"
#include "tests/launch/commands/old_sweep.hpp"

using namespace crescendo::tests;

TEST_CASE("latency says how fast the best trial answers and keeps the result with the trial's files") {
    const MeasuredSweep sweep;

    const auto result = sweep.run({"latency", "s", "--threads", "2", "--format", "json"});

    REQUIRE_MESSAGE(result.code == 0, result.err);
    const auto answer = result.json();
    CHECK(answer.at("trial") == 0);
    CHECK(answer.at("data") == "test");
    CHECK(answer.at("samples") == 7);
    CHECK(answer.at("threads") == 2);
    CHECK(answer.at("mean_ms") == doctest::Approx(4.5));
    CHECK(answer.at("p50_ms") == doctest::Approx(1));
    CHECK(answer.at("p99_ms") == doctest::Approx(9));
    CHECK(answer.at("test_accuracy") == 0.5);
    CHECK(!answer.contains("cost_of_10000"));  // no slot has a price
    CHECK(fs::exists(sweep.folder / "s/trials/000000/latency.json"));
    const auto order = sweep.orders().at(0);
    CHECK(order.at("type") == "measure_latency");
    CHECK(order.at("warm_ups") == 100);
    CHECK(order.at("checkpoint") == (sweep.folder / "s/trials/000000/checkpoint.pt").string());
    CHECK(sweep.run({"latency", "s"}).out.find("p99_ms") != std::string::npos);
    CHECK(sweep.run({"latency", "s", "--format", "csv"}).out.starts_with("trial,data,samples,threads,hardware,"));
}

TEST_CASE("latency refuses what it cannot measure, and says why") {
    const MeasuredSweep sweep;
    const MeasuredSweep without_test("{train: d.h5:/train}");
    const OldSweep of_a_program;

    const auto no_trial = sweep.run({"latency", "s", "--trial", "7"});
    const auto no_checkpoint = sweep.run({"latency", "s", "--trial", "1"});
    const auto no_data = without_test.run({"latency", "s"});
    const auto program = of_a_program.run({"latency", "s"});

    CHECK(no_trial.code == 2);
    CHECK(contains(no_trial.err, "s has no trial 7; `crescendo trials s` lists them"));
    CHECK(no_checkpoint.code == 2);
    CHECK(contains(no_checkpoint.err, "trial 1 has no checkpoint in s/trials/000001"));
    CHECK(no_data.code == 2);
    CHECK(contains(no_data.err, "sweep.yaml:6:11: trainer.data: has no test samples; add --data validation"));
    CHECK(program.code == 2);
    CHECK(contains(program.err, "command: crescendo cannot run the model of another program"));
}
