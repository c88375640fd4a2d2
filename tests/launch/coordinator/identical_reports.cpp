#include "launch/coordinator/identical_reports.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace crescendo;
using namespace crescendo::launch;

namespace {

Config config(double lr) { return {{"lr", lr}}; }

}  // namespace

TEST_CASE("three different configurations with the same report are noticed once") {
    IdenticalReports reports;

    CHECK(reports.note(config(0.1), Resource{1}, {{"loss", 0.5}}) == Unused::nothing);
    CHECK(reports.note(config(0.2), Resource{1}, {{"loss", 0.5}}) == Unused::nothing);
    CHECK(reports.note(config(0.2), Resource{1}, {{"loss", 0.5}}) == Unused::nothing);  // the same configuration
    CHECK(reports.note(config(0.3), Resource{1}, {{"loss", 0.5}}) == Unused::parameters);
    CHECK(reports.note(config(0.4), Resource{1}, {{"loss", 0.5}}) == Unused::nothing);
}

TEST_CASE("three trials of one configuration with the same report do not use their seeds") {
    IdenticalReports reports;

    CHECK(reports.note(config(0.1), Resource{1}, {{"loss", 0.5}}) == Unused::nothing);
    CHECK(reports.note(config(0.1), Resource{1}, {{"loss", 0.5}}) == Unused::nothing);
    CHECK(reports.note(config(0.1), Resource{1}, {{"loss", 0.5}}) == Unused::seed);
    CHECK(reports.is_done());
}

TEST_CASE("one report that differs in any number ends the search for identical ones") {
    for (const auto& [resource, metrics] :
         {std::pair{Resource{2}, std::map<std::string, double>{{"loss", 0.5}, {"time", 1.0}}},
          std::pair{Resource{1}, std::map<std::string, double>{{"loss", 0.5}, {"time", 2.0}}}}) {
        IdenticalReports reports;
        reports.note(config(0.1), Resource{1}, {{"loss", 0.5}, {"time", 1.0}});
        reports.note(config(0.2), Resource{1}, {{"loss", 0.5}, {"time", 1.0}});

        CHECK(reports.note(config(0.3), resource, metrics) == Unused::nothing);
        CHECK(reports.is_done());
    }
}

TEST_CASE("trials that all diverge are no reason to warn") {
    IdenticalReports reports;

    for (int i = 0; i < 5; ++i) {
        CHECK(reports.note(config(i), Resource{1}, {{"loss", std::numeric_limits<double>::quiet_NaN()}}) ==
              Unused::nothing);
    }
}
