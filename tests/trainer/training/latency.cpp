#include "trainer/training/latency.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <stdexcept>

#include "tests/trainer/fake_crescendo.hpp"
#include "tests/trainer/sweep_fixture.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

TEST_CASE("p50 and p99 are the times within which 50% and 99% of the answers came") {
    std::vector<double> hundred(100);
    std::iota(hundred.rbegin(), hundred.rend(), 1.0);  // 100, 99, … 1

    const auto four = summary_of({4, 1, 2, 3});
    const auto many = summary_of(hundred);

    CHECK(four.samples == 4);
    CHECK(four.mean == 2.5);
    CHECK(four.p50 == 2);
    CHECK(four.p99 == 4);
    CHECK(many.p50 == 50);
    CHECK(many.p99 == 99);
    CHECK(summary_of({3}).p99 == 3);
    CHECK_THROWS_AS(summary_of({}), std::runtime_error);
}

TEST_CASE("a number that is not finite is reported with its data set and the remedy") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.settings["model"] = "mlp";
    terms.settings["data"] = {{"train", write_numbers(sweep.folder / "numbers.h5", "train", 12)},
                              {"test", write_numbers(sweep.folder / "numbers.h5", "test", 12, /*nan_at=*/5)}};

    crescendo.send(0, {{"type", "measure_latency"},
                       {"trial", 0},
                       {"settings", terms.settings},
                       {"resource", 2},
                       {"checkpoint", ""},
                       {"data", "test"},
                       {"warm_ups", 0}});

    const auto message = crescendo.await(0, "failed")["message"].get<std::string>();
    CAPTURE(message);
    CHECK(message.find("sample 5 of /test/inputs has a number that is NaN") != std::string::npos);
    CHECK(message.find("keep trains on them") != std::string::npos);
}

TEST_CASE("a checkpoint's model answers each sample once and as accurately as in a batch") {
    const SweepFixture sweep;
    FakeCrescendo crescendo(1, "crescendo-trainer");
    Terms terms = sweep.terms("trial");
    terms.settings["data"]["test"] = sweep.validation;  // 20 samples
    terms.checkpoint_at = 2;
    const Json report = crescendo.train({0}, "new", terms, 2);
    crescendo.leave({0}, /*save=*/false);
    Json order = {{"type", "measure_latency"},
                  {"trial", 0},
                  {"settings", terms.settings},
                  {"resource", 2},
                  {"checkpoint", (terms.directory / "checkpoint.pt").string()},
                  {"data", "test"},
                  {"warm_ups", 100}};

    crescendo.send(0, order);
    const Json trained = crescendo.await(0, "latency");
    order["checkpoint"] = "";
    crescendo.send(0, order);
    const Json random = crescendo.await(0, "latency");

    CHECK(trained["samples"] == 20);
    CHECK(trained["metrics"]["test_accuracy"] == report["metrics"]["val_accuracy"]);
    CHECK(trained["metrics"]["test_loss"].get<double>() ==
          doctest::Approx(report["metrics"]["val_loss"].get<double>()).epsilon(1e-5));
    CHECK(trained["p50"] > 0.0);
    CHECK(trained["p50"] <= trained["p99"]);
    CHECK(random["samples"] == 20);
    CHECK(random["metrics"].empty());

    order["data"] = "validation";
    order["resource"] = 3;
    order["checkpoint"] = (terms.directory / "checkpoint.pt").string();
    crescendo.send(0, order);
    CHECK(crescendo.await(0, "failed")["message"].get<std::string>().find("the checkpoint is from the report at 2") !=
          std::string::npos);
}
