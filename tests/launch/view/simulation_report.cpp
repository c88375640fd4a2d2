#include "launch/view/simulation_report.hpp"

#include <doctest/doctest.h>

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::simulator;

namespace {

SweepSpec accuracy() {
    SweepSpec spec;
    spec.metric = "accuracy";
    spec.goal = Goal::maximize;
    return spec;
}

Summary summary() {
    Summary summary;
    summary.makespan = 100;
    summary.slots = 2;
    summary.slot_seconds_used = 150;
    summary.best = TrialId{3};
    summary.best_loss = -0.9;
    for (int i = 0; i < 100; ++i) {
        summary.best_over_time.push_back({static_cast<double>(i), -0.009 * i, TrialId{3}, Resource{i + 1}});
    }
    summary.slot_use = {{0, 2}, {50, 1}, {100, 0}};
    return summary;
}

}  // namespace

TEST_CASE("a summary gives metrics as trials report them") {
    const auto json = summary_json(summary(), accuracy());

    CHECK(json["accuracy"] == 0.9);
    CHECK(json["best_trial"] == 3);
    CHECK(json["utilization"] == 0.75);
    CHECK(json["slot_hours_idle"].get<double>() == doctest::Approx(50.0 / 3600));
}

TEST_CASE("a metric that is called like another value keeps a name of its own") {
    const auto named = [](const std::string& metric) {
        auto spec = accuracy();
        spec.metric = metric;
        return spec;
    };
    const auto rows_of = [](const Table& table) { return Json::parse(table.print(Format::json)); };

    CHECK(summary_json(summary(), named("cost"))["metrics.cost"] == 0.9);  // `simulate` adds the price as `cost`
    CHECK(summary_json(summary(), named("makespan"))["makespan"] == 100);
    CHECK(rows_of(best_table(summary(), named("seconds"), 1))[0]["seconds"] == 99);
    CHECK(rows_of(report_table({{1, TrialId{0}, Resource{2}, -0.5, 4}}, named("workers")))[0]["workers"] == 4);
    const auto compared = compare({{"asha", {summary()}}});
    CHECK(rows_of(comparison_table(compared, named("speedup")))[0]["metrics.speedup"] == 0.9);
    CHECK(comparison_text(compared, named("speedup")).find("metrics.speedup") != std::string::npos);
}

TEST_CASE("the table shows some of many improvements, including the last") {
    const auto rows = Json::parse(best_table(summary(), accuracy(), 10).print(Format::json));

    CHECK(rows.size() == 10);
    CHECK(rows.front()["seconds"] == 9);
    CHECK(rows.back()["resource"] == 100);
}

TEST_CASE("a comparison of single runs has no intervals") {
    const auto rows = Json::parse(comparison_table(compare({{"asha", {summary()}}}), accuracy()).print(Format::json));

    CHECK(rows[0]["policy"] == "asha");
    CHECK(rows[0]["makespan"] == 100);
    CHECK(rows[0]["± makespan"].is_null());
    CHECK(rows[0]["accuracy"] == 0.9);
}

TEST_CASE("the text shows a mean with its interval") {
    auto slower = summary();
    slower.makespan = 102;

    const auto text = comparison_text(compare({{"asha", {summary(), slower}}}), accuracy());

    CHECK(text.find("101 ± 12.7") != std::string::npos);  // t = 12.7 for 1 degree of freedom, standard error 1
    CHECK(text.find("0.9 ± 0") != std::string::npos);
}

TEST_CASE("a chart is self-contained, and escapes the name of the metric") {
    auto spec = accuracy();
    spec.metric = "a<b";

    const auto svg = chart(summary(), spec);

    CHECK(svg.starts_with("<svg "));
    CHECK(svg.find("best a&lt;b") != std::string::npos);
    CHECK(chart({}, spec).find("<path d=''") != std::string::npos);
}

TEST_CASE("both ends of a chart of large rewards once were 1.2e+04") {
    auto rewards = summary();
    rewards.best_over_time = {{1, -12000, TrialId{0}, Resource{1}}, {2, -12010, TrialId{0}, Resource{2}}};

    const auto svg = chart(rewards, accuracy());

    CHECK(svg.find(">12010</text>") != std::string::npos);
    CHECK(svg.find(">12000</text>") != std::string::npos);
}
