#include "launch/report/comparison.hpp"

#include <doctest/doctest.h>

#include <string>

#include "tests/contains.hpp"
#include "tests/launch/compare/recorded_sweep.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("a comparison of sweeps gives the cost of their quality") {
    const TemporaryFolder folder;
    record_sweep(folder / "a", two_trials(1), {{2, 0, 1, 0.5}, {4, 1, 1, 0.7}});
    record_sweep(folder / "b", two_trials(1, "max_retries: 1\n"), {{2, 0, 1, 0.5}, {8, 1, 1, 0.8}});

    const auto comparison = comparison_json({folder / "a", folder / "b"});

    CHECK(comparison.at("problem") == "");
    CHECK(comparison.at("target") == 0.7);  // both reach the worse of their best values
    REQUIRE(comparison.at("methods").size() == 2);
    CHECK(comparison.at("methods")[1].at("seconds") == 8);
    CHECK(comparison.at("methods")[1].at("speedup") == 0.5);
}

TEST_CASE("with an even number of seeds, all sweeps reach the target and there is a speed-up") {
    const TemporaryFolder folder;
    record_sweep(folder / "a1", two_trials(1), {{2, 0, 1, 0.5}, {4, 1, 1, 0.7}});
    record_sweep(folder / "a2", two_trials(2), {{2, 0, 1, 0.5}, {4, 1, 1, 0.9}});
    record_sweep(folder / "b1", two_trials(1, "max_retries: 1\n"), {{1, 0, 1, 0.6}, {2, 1, 1, 0.8}});
    record_sweep(folder / "b2", two_trials(2, "max_retries: 1\n"), {{1, 0, 1, 0.6}, {2, 1, 1, 0.75}});

    const auto comparison = comparison_json({folder / "a1", folder / "a2", folder / "b1", folder / "b2"});

    CHECK(comparison.at("target") == 0.7);
    REQUIRE(comparison.at("methods").size() == 2);
    for (const auto& method : comparison.at("methods")) {
        CHECK(method.at("reached") == 2);
    }
    CHECK(comparison.at("methods")[1].at("speedup") == 2);
}

TEST_CASE("sweeps without a report have no target but can still be compared") {
    const TemporaryFolder folder;
    record_sweep(folder / "a", two_trials(1), {});
    record_sweep(folder / "b", two_trials(1, "max_retries: 1\n"), {});

    const auto comparison = comparison_json({folder / "a", folder / "b"});

    CHECK(comparison.at("problem") == "");
    CHECK(comparison.at("target").is_null());
    CHECK(comparison.at("methods").size() == 2);
}

TEST_CASE("sweeps with different metrics cannot be compared, and the error names the metrics") {
    const TemporaryFolder folder;
    record_sweep(folder / "a", two_trials(1), {});
    record_sweep(folder / "b", "metric: {name: loss}\nparameters: {x: {value: 1}}\ncommand: [train]\n", {});

    const auto problem = comparison_json({folder / "a", folder / "b"}).at("problem").get<std::string>();

    CHECK(contains(problem, "accuracy"));
    CHECK(contains(problem, "loss"));
}
