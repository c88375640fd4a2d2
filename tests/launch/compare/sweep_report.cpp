#include "launch/compare/sweep_report.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "launch/compare/curve_file.hpp"
#include "tests/contains.hpp"
#include "tests/launch/compare/recorded_sweep.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

namespace {

/// "one" is cheap and bad, "two" is expensive and good. Each has two slots.
class RecordedPair {
  public:
    RecordedPair() {
        record_sweep(folder_ / "one", two_trials(1), {{9, 0, 1, 0.5}, {18, 1, 1, 0.6}});
        record_sweep(folder_ / "two", two_trials(1), {{18, 0, 1, 0.55}, {36, 0, 2, 0.9}});
        methods_ =
            read_methods({folder_ / "one", folder_ / "two"}, Grouping::arguments, ClockOf::sweeps, [](auto, auto) {});
        methods_[0].name = "one";
        methods_[1].name = "two";
    }

    const TemporaryFolder& folder() const { return folder_; }
    const std::vector<Method>& methods() const { return methods_; }
    Prices prices(const std::string& rows) const {
        std::ofstream(folder_ / "prices.csv") << "submission,usd_per_hour\n" << rows;
        return Prices(folder_ / "prices.csv");
    }

  private:
    TemporaryFolder folder_;
    std::vector<Method> methods_;
};

}  // namespace

TEST_CASE("the Pareto set has the results that no method beats at their price") {
    const RecordedPair recorded;

    CHECK(SweepReport(recorded.methods(), {}).pareto_set().print(Format::csv) ==
          "submission,slot_hours,accuracy\none,0.005,0.5\none,0.01,0.6\ntwo,0.02,0.9\n");
}

TEST_CASE("the axis shows money if all prices are known") {
    const RecordedPair recorded;
    const auto both = recorded.prices("one,3600\ntwo,400\n");
    const auto only_one = recorded.prices("one,3600\n");

    // one: a dollar a second; two: a ninth of one. So "two" is better and cheaper.
    CHECK(SweepReport(recorded.methods(), both).pareto_set().print(Format::csv) ==
          "submission,cost,accuracy\ntwo,2,0.55\ntwo,4,0.9\n");
    CHECK(
        SweepReport(recorded.methods(), only_one).pareto_set().print(Format::csv).starts_with("submission,slot_hours"));
}

TEST_CASE("a metric with the name of the price has a column of its own in the Pareto set") {
    const RecordedPair recorded;
    auto methods = recorded.methods();
    methods.front().runs.front().file.spec.metric = "slot_hours";

    CHECK(SweepReport(methods, {}).pareto_set().print(Format::csv).starts_with("submission,slot_hours,metrics.slot_"));
}

TEST_CASE("the chart names dollars only if all prices are in dollars") {
    const TemporaryFolder folder;
    for (const char* name : {"one", "two"}) {
        record_sweep(folder / name, two_trials(1, "price: {slot_hour: 2}\n"), {{9, 0, 1, 0.5}});
    }
    auto methods =
        read_methods({folder / "one", folder / "two"}, Grouping::arguments, ClockOf::sweeps, [](auto, auto) {});
    methods[0].name = "one";
    methods[1].name = "two";
    const auto chart_with = [&](const std::string& rows) {
        std::ofstream(folder / "prices.csv") << "submission,usd_per_hour\n" << rows;
        return SweepReport(methods, Prices(folder / "prices.csv")).chart();
    };

    CHECK(contains(SweepReport(methods, {}).chart(), ">cost<"));
    CHECK(contains(chart_with("one,3600\n"), ">slot-hours<"));  // dollars and the files' currency have no common axis
    CHECK(contains(chart_with("one,3600\ntwo,400\n"), ">cost (US dollars)<"));
}

TEST_CASE("curves that a report writes can be read and compared as curves") {
    const RecordedPair recorded;
    std::ofstream(recorded.folder() / "curves.csv") << SweepReport(recorded.methods(), {}).curves().print(Format::csv);
    std::ofstream(recorded.folder() / "workloads.csv") << "workload,target,goal,max_seconds\naccuracy,0.55,maximize,\n";

    const auto workloads = read_workloads(recorded.folder() / "workloads.csv");
    const auto submissions = read_curves(recorded.folder() / "curves.csv", workloads, [](auto, auto) {});

    REQUIRE(submissions.size() == 2);
    CHECK(analysis::time_to_target(submissions[0].studies[0], workloads[0].target) == 18);
    CHECK(analysis::time_to_target(submissions[1].studies[0], workloads[0].target) == 18);
}

TEST_CASE("the chart has both axes and a line for each method") {
    const RecordedPair recorded;

    const auto chart = SweepReport(recorded.methods(), {}).chart();

    for (const char* text : {">time (seconds)<", ">slot-hours<", ">one<", ">two<", ">accuracy<"}) {
        CHECK(chart.find(text) != std::string::npos);
    }
    CHECK(chart.find("<path class='c1 line'") != std::string::npos);
    CHECK(SweepReport(recorded.methods(), {}).files().size() == 3);
}

TEST_CASE("the chart mentions medians only if a method has several sweeps") {
    const RecordedPair recorded;
    const auto grouped =
        read_methods({recorded.folder().path()}, Grouping::arguments, ClockOf::sweeps, [](auto, auto) {});

    CHECK(contains(SweepReport(recorded.methods(), {}).chart(), ">Best accuracy so far<"));
    CHECK(contains(SweepReport(grouped, {}).chart(),
                   ">Best accuracy so far: median over sweeps and 95 % interval (with 2 sweeps: 50 %)<"));
}

TEST_CASE("sweeps without reports have an empty report") {
    const TemporaryFolder folder;
    record_sweep(folder / "none", two_trials(1), {});
    const auto methods = read_methods({folder / "none"}, Grouping::arguments, ClockOf::sweeps, [](auto, auto) {});

    CHECK(SweepReport(methods, {}).pareto_set().print(Format::csv) == "submission,slot_hours,accuracy\n");
    CHECK(SweepReport(methods, {}).chart().ends_with("</svg>\n"));
}
