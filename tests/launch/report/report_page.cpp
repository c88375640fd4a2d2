#include "launch/report/report_page.hpp"

#include <doctest/doctest.h>

#include "launch/report/sweep_data.hpp"
#include "tests/count.hpp"
#include "tests/launch/compare/recorded_sweep.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("a page needs no other file and reaches no network") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1), {{2, 0, 1, 0.5}});

    const auto page = report_page({sweep_data(folder / "s")}, nullptr);

    CHECK(page.starts_with("<!DOCTYPE html>"));
    CHECK(page.find("default-src 'none'") != std::string::npos);
    CHECK(page.find("src=") == std::string::npos);
    CHECK(page.find("<link") == std::string::npos);
}

TEST_CASE("the names and texts of a sweep cannot become markup of the page") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1), {{2, 0, 1, 0.5}});
    auto data = sweep_data(folder / "s");
    const std::string evil = "</script><script>alert(1)</script>'\"<img src=x onerror=alert(1)>\n学";
    data["name"] = data["directory"] = data["problem"] = data["file"] = evil;
    data["faults"] = {{1, 0, nullptr, "crash", evil}};
    data["columns"][0] = evil;

    const auto page = report_page({data}, nullptr);

    CHECK(count(page, "<script") == 2);  // the data and the program
    CHECK(count(page, "</script>") == 2);
    CHECK(page.find("<img") == std::string::npos);
}
