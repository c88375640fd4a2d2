#include "launch/coordinator/report_watch.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "launch/json/event_json.hpp"
#include "tests/launch/coordinator/stage.hpp"

using namespace crescendo;
using crescendo::tests::report_of;
using crescendo::tests::Stage;

namespace {

/// How often a message to the user had these words.
auto times_said(const Stage& stage, const std::string& words) {
    return std::ranges::count_if(stage.view.said,
                                 [&](const auto& line) { return line.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("a trial that has to grow by goodput but does not report its step times causes one message") {
    using Times = std::vector<std::optional<double>>;
    const auto said_of = [](const Times& times, const std::string& grow_when) {
        Stage stage("run_cap: 1\n", "{type: rasda, min: 1, max: 4, reduction_factor: 2, grow_when: " + grow_when + "}");
        stage.file.trainer.reset();
        stage.file.command = {"train"};
        stage.file.grow = launch::GrowMode::in_place;
        for (int resource = 1; const auto& step_seconds : times) {
            auto report = report_of(0, resource, 0.5);
            report.step_seconds = step_seconds;
            stage.agents.notices.emplace_back(report);
            resource *= 2;
        }
        CHECK(stage.run() == launch::Outcome::finished);
        return times_said(stage, "reports have no step_seconds");
    };

    const Times none{{}, {}, {}};
    CHECK(said_of(none, "goodput") == 1);
    CHECK(said_of(none, "always") == 0);
    CHECK(said_of({0.1, 0.1, 0.1}, "goodput") == 0);
    CHECK(said_of({0.1, {}, 0.1}, "goodput") == 0);  // the second report is of a group that has made no step
}

TEST_CASE("trials that report the same numbers for different parameters cause one message") {
    Stage stage("run_cap: 4\n", "{type: fifo, max: 2}");
    for (const int trial : {0, 1, 2, 3}) {
        stage.agents.report(trial, 1, 0.5);
        stage.agents.report(trial, 2, 0.5);
    }

    stage.run();

    CHECK(times_said(stage, "three trials with different parameters report the same numbers") == 1);
}

TEST_CASE("times in reports do not hide that a program ignores its parameters") {
    Stage stage("run_cap: 3\n", "{type: fifo, max: 1}");
    const auto num_remarks = [&](const std::string& metric) {
        stage.file.spec.metric = metric;
        Sweep sweep(stage.file.spec);
        sweep.apply(SlotsJoined{{{SlotId{0}, NodeId{0}}, {SlotId{1}, NodeId{0}}, {SlotId{2}, NodeId{0}}}});
        launch::ReportWatch watch(stage.file, stage.directory);
        std::size_t count = 0;
        for (const int trial : {0, 1, 2}) {
            auto report = report_of(trial, 1, 0.5);
            report.metrics["eval_runtime"] = 0.1 * trial;
            count += watch.note(report, 0.5, Resource{0}, sweep).size();
        }
        return count;
    };

    CHECK(num_remarks("accuracy") == 1);
    CHECK(num_remarks("eval_runtime") == 0);  // a sweep that makes a program fast
}

TEST_CASE("reports from before training may be the same for all trials") {
    Stage stage("run_cap: 4\n", "{type: fifo, max: 3}");
    stage.file.trainer.reset();
    stage.file.command = {"train"};
    stage.file.supervision.report = launch::ReportSource{{"(?P<accuracy>.*)"}, "", /*counts_from=*/0};
    for (const int trial : {0, 1, 2, 3}) {
        stage.agents.report(trial, 1, 0.5);
        stage.agents.report(trial, 2, 0.5 + 0.01 * trial);
        stage.agents.report(trial, 3, 0.6);
    }

    stage.run();

    CHECK(times_said(stage, "report the same numbers") == 0);
}

TEST_CASE("a first report beyond the end of the trial causes one message") {
    Stage stage("run_cap: 2\n", "{type: fifo, max: 4}");
    stage.agents.report(0, 500, 0.5);
    stage.agents.report(1, 500, 0.6);

    CHECK(stage.run() == launch::Outcome::finished);

    CHECK(times_said(stage, "the first report of trial 0 is at 500, beyond scheduler.max (4)") == 1);
    CHECK(times_said(stage, "beyond scheduler.max") == 1);
}

TEST_CASE("a program that reports only at the end, after rungs that could stop it, causes one message") {
    const auto said_with = [](const std::string& scheduler) {
        Stage stage("run_cap: 2\n", scheduler);
        stage.agents.report(0, 4, 0.5);
        stage.agents.report(1, 4, 0.6);
        CHECK(stage.run() == launch::Outcome::finished);
        CHECK(times_said(stage, "so it is judged at") == 0);
        return times_said(stage, "the first report of trial 0 is at 4, where trials end") +
               times_said(stage, "the first rung is at 1");
    };

    CHECK(said_with("{type: asha, min: 1, max: 4, reduction_factor: 2}") == 2);
    CHECK(said_with("{type: fifo, max: 4}") == 0);
    CHECK(said_with("{type: asha, min: 4, max: 4}") == 0);
}

TEST_CASE("a report that is judged at many rungs, because the program counts steps, causes one message") {
    const auto said_with = [](const std::string& scheduler, bool reports_untrained) {
        Stage stage("run_cap: 2\n", scheduler);
        stage.file.trainer.reset();
        stage.file.command = {"train"};
        stage.file.supervision.report =
            launch::ReportSource{{"(?P<accuracy>.*)"}, "", /*counts_from=*/reports_untrained ? 0 : 1};
        for (const int trial : {0, 1}) {
            if (reports_untrained) {
                stage.agents.report(trial, 1, 0.1);
            }
            for (const int resource : {500, 1000, 4000}) {
                stage.agents.report(trial, resource, 0.5);
            }
        }
        stage.run();
        return times_said(stage, "is at 500, so it is judged at ");
    };

    CHECK(said_with("{type: asha, max: 4000}", false) == 1);
    CHECK(said_with("{type: asha, max: 4000}", true) == 1);
    CHECK(said_with("{type: asha, min: 250, max: 4000, reduction_factor: 2}", false) == 1);  // 250 and 500
    CHECK(said_with("{type: asha, min: 500, max: 4000}", false) == 0);
    CHECK(said_with("{type: asha, min: 200, max: 4000}", false) == 0);  // 200, and then 600
    CHECK(said_with("{type: fifo, max: 4000}", false) == 0);
}

TEST_CASE("samples that a trial leaves out cause one message") {
    Stage stage("run_cap: 1\n", "{type: fifo, max: 3}");
    for (const int resource : {1, 2, 3}) {
        auto report = report_of(0, resource, 0.5);
        report.samples_left_out = resource == 1 ? 0 : 0.0312;
        stage.agents.notices.emplace_back(report);
    }

    CHECK(stage.run() == launch::Outcome::finished);

    CHECK(times_said(stage, "3.12 % of the samples read by trial 0 have non-finite numbers") == 1);
}

TEST_CASE("trials that all diverge cause one message") {
    const auto said_of = [](int num_trials, std::optional<double> second) {
        Stage stage("run_cap: " + std::to_string(num_trials) + "\n", "{type: fifo, max: 2}");
        for (int trial = 0; trial < num_trials; ++trial) {
            constexpr double diverged = std::numeric_limits<double>::quiet_NaN();
            stage.agents.report(trial, 1, trial == 1 ? second.value_or(diverged) : diverged);
            stage.agents.report(trial, 2, diverged);
        }
        stage.run();
        return times_said(stage, "five trials have reported accuracy, but none of them a finite number");
    };

    CHECK(said_of(4, {}) == 0);
    CHECK(said_of(6, {}) == 1);
    CHECK(said_of(7, 0.5) == 0);
}

TEST_CASE("trials that diverge cause no message if an earlier session had a finite number") {
    Stage stage("run_cap: 6\n", "{type: fifo, max: 1}");
    stage.history.apply(Json(launch::record_of(SlotsJoined{stage.agents.slots()}, 1)));
    Json report(launch::record_of(TrialReported{TrialId{0}, Resource{1}, 0.5}, 2));
    report["metrics"] = {{"accuracy", 0.5}};
    stage.history.apply(report);
    for (const int trial : {1, 2, 3, 4, 5}) {
        stage.agents.report(trial, 1, std::numeric_limits<double>::quiet_NaN());
    }

    CHECK(stage.run() == launch::Outcome::finished);

    CHECK(times_said(stage, "none of them a finite number") == 0);
}
