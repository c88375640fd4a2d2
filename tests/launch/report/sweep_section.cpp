#include "launch/report/sweep_section.hpp"

#include <doctest/doctest.h>

#include "launch/report/sweep_data.hpp"
#include "tests/contains.hpp"
#include "tests/launch/compare/recorded_sweep.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("the best trial counts with its last report, and a page says where a report was better") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1), {{2, 0, 1, 0.5}, {4, 0, 2, 0.6}, {5, 1, 1, 0.9}, {6, 1, 2, 0.4}});
    record_sweep(folder / "plain", two_trials(1), {{2, 0, 1, 0.5}, {4, 0, 2, 0.6}});
    const auto section = [&](const char* name) {
        return sweep_section(sweep_data(folder / name), 0, /*is_open=*/true, PageKind::file);
    };

    CHECK(contains(section("s"), "best: trial 0, resource 2; 0.9 in a report of trial 1 that was not its last"));
    CHECK(contains(section("plain"), "best: trial 0, resource 2</small>"));
}
