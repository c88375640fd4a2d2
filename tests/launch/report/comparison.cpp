#include "launch/report/comparison.hpp"

#include <doctest/doctest.h>

#include "launch/report/report_page.hpp"
#include "launch/report/sweep_data.hpp"
#include "tests/launch/compare/recorded_sweep.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("sweeps side by side have what their quality cost") {
    const TemporaryFolder folder;
    record_sweep(folder / "a", two_trials(1), {{2, 0, 1, 0.5}, {4, 1, 1, 0.7}});
    record_sweep(folder / "b", two_trials(1, "max_retries: 1\n"), {{2, 0, 1, 0.5}, {8, 1, 1, 0.8}});

    const auto comparison = comparison_json({folder / "a", folder / "b"});

    CHECK(comparison.at("problem") == "");
    CHECK(comparison.at("target") == 0.7);  // both reach the worse of their best values
    REQUIRE(comparison.at("methods").size() == 2);
    CHECK(comparison.at("methods")[1].at("seconds") == 8);
    CHECK(comparison.at("methods")[1].at("speedup") == 0.5);
    const auto page = report_page({sweep_data(folder / "a"), sweep_data(folder / "b")}, comparison);
    CHECK(page.find("data-chart='gantt-common' data-sweep='1'") != std::string::npos);
    CHECK(page.find("<b>0.5 times</b> as fast as") != std::string::npos);
    CHECK(page.find("speedup_low") == std::string::npos);  // one seed has no interval
    CHECK(page.find("<h3>What it took</h3>") != std::string::npos);
}

TEST_CASE("sweeps that cannot be compared say why, beside each other") {
    const TemporaryFolder folder;
    record_sweep(folder / "a", two_trials(1), {});
    record_sweep(folder / "b", two_trials(1, "max_retries: 1\n"), {});

    const auto comparison = comparison_json({folder / "a", folder / "b"});
    const auto page = report_page({sweep_data(folder / "a"), sweep_data(folder / "b")}, comparison);

    CHECK(page.find("Side by side") != std::string::npos);
    CHECK(page.find("No trial has reported a finite value") != std::string::npos);
}
