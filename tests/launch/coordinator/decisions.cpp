#include "launch/coordinator/decisions.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "launch/json/event_json.hpp"
#include "launch/view/trials_table.hpp"
#include "scheduler/samplers/random_sampler.hpp"
#include "tests/launch/coordinator/stage.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::report_of;
using crescendo::tests::Stage;

TEST_CASE("a report is in the journal before it is answered") {
    Stage stage("run_cap: 1\n");
    stage.agents.report(0, 1, 0.5);
    stage.agents.report(0, 2, 0.6);
    stage.agents.report(0, 4, 0.8);
    const auto leave = stage.agents.on_order;
    int answers = 0;
    stage.agents.on_order = [&](NodeId node, const Order& order) {
        if (std::holds_alternative<protocol::Decision>(order)) {
            ++answers;
            CHECK(Journal::read(stage.directory.journal()).back().at("resource") == 2);
        }
        leave(node, order);
    };

    stage.run();

    CHECK(answers == 2);
}

TEST_CASE("a configuration that a model proposed is in the journal before its trial starts") {
    Stage stage("run_cap: 1\nsampler: {type: gp}\n", "{type: fifo, max: 1}");
    stage.agents.num_waits = 100'000;  // for the proposal
    stage.agents.on_order = [&, before = stage.agents.on_order](NodeId to, const Order& order) {
        if (std::holds_alternative<JoinGroup>(order)) {
            CHECK(Journal::read(stage.directory.journal()).back().value("event", "") == "trial_proposed");
            stage.agents.report(0, 1, 0.5);
        }
        before(to, order);
    };

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.agents.sent<JoinGroup>().size() == 1);
}

TEST_CASE("each trial's configuration is in the journal and applies when the journal is read again") {
    Stage stage("run_cap: 2\n", "{type: fifo, max: 1}");
    stage.agents.report(0, 1, 0.5);
    stage.agents.report(1, 1, 0.6);
    stage.run();

    auto other = stage.file.spec;
    other.seed = 99;  // draws other configurations
    const auto history = History::read(other, stage.directory.journal());

    for (const auto& trial : stage.history.sweep().trials()) {
        CHECK(trial.is_proposed);
        CHECK(history.sweep().trial(trial.id).config == trial.config);
        CHECK(trial.config != RandomSampler(other.space, 99).propose(trial.id)->config);
    }
}

TEST_CASE("repetitions of a configuration share one record, which names the first of them") {
    Stage stage("run_cap: 2\nrepeat: 3\n", "{type: fifo, max: 1}");
    stage.agents.all_slots.push_back({SlotId{2}, NodeId{0}});  // one slot for each repetition
    for (int trial = 0; trial < 6; ++trial) {
        stage.agents.report(trial, 1, 0.5);
    }
    CHECK(stage.run() == Outcome::finished);

    std::vector<int> named;
    for (const auto& record : stage.journalled()) {
        if (record.value("event", "") == "trial_proposed") {
            named.push_back(record.at("trial"));
        }
    }
    CHECK(named == std::vector{0, 3});
    auto other = stage.file.spec;
    other.seed = 99;  // draws other configurations
    const auto history = History::read(other, stage.directory.journal());
    for (const auto& trial : stage.history.sweep().trials()) {
        CHECK(trial.is_proposed);
        CHECK(history.sweep().trial(trial.id).config == trial.config);
    }
}

TEST_CASE("a configuration whose record was lost in a crash is recorded once for all its repetitions") {
    Stage stage("run_cap: 1\nrepeat: 2\n", "{type: fifo, max: 1}");
    // Its first trial starts, and the other waits.
    stage.history.apply(Json(record_of(SlotsJoined{{{SlotId{5}, NodeId{0}}}}, 1)));
    for (const int trial : {0, 1}) {
        stage.agents.report(trial, 1, 0.5);
    }

    CHECK(stage.run() == Outcome::finished);

    const auto records = stage.journalled();
    CHECK(std::ranges::count_if(records, [](const Json& each) {
              return each.value("event", "") == "trial_proposed" && each.at("trial") == 0;
          }) == 1);
    CHECK(std::ranges::none_of(records, [](const Json& each) {
        return each.value("event", "") == "trial_proposed" && each.at("trial") == 1;
    }));
}

TEST_CASE("a configuration is written with the next sync and needs no sync of its own") {
    Stage stage("run_cap: 1\n", "{type: fifo, max: 2}");
    std::vector<std::size_t> num_lines;
    stage.agents.on_order = [&, before = stage.agents.on_order](NodeId to, const Order& order) {
        num_lines.push_back(Journal::read(stage.directory.journal()).size());
        before(to, order);
    };
    stage.agents.report(0, 1, 0.5);
    stage.agents.report(0, 2, 0.6);
    stage.run();

    REQUIRE(num_lines.size() == 3);
    CHECK(num_lines[0] == 3);  // header, session and slots: the trial starts
    CHECK(num_lines[1] == 5);  // its configuration and the first report, together
    CHECK(Journal::read(stage.directory.journal())[3].at("event") == "trial_proposed");
}

TEST_CASE("the share of time that a trial waits for data is in the journal and in its results") {
    Stage stage("run_cap: 2\n", "{type: fifo, max: 3}");
    const auto report = [&](int trial, int resource, double wait) {
        stage.agents.notices.push_back(report_of(trial, resource, 0.5, wait));
    };
    report(0, 1, 0.25);
    report(0, 2, 0.75);
    stage.agents.report(0, 3, 0.5);  // without a share
    for (const int resource : {1, 2, 3}) {
        stage.agents.report(1, resource, 0.5);
    }

    stage.run();

    const auto history = History::read(stage.file.spec, stage.directory.journal());
    CHECK(history.of(TrialId{0}).data_wait.value() == 0.5);
    CHECK_FALSE(history.of(TrialId{1}).data_wait.value().has_value());
    const auto rows = Json::parse(trials_table(history).print(Format::json));
    CHECK(rows[0]["data_wait"] == 0.5);
    CHECK(rows[1]["data_wait"].is_null());
}

TEST_CASE("a trial's clock is journalled in milliseconds; without one, the time between reports counts") {
    Stage stage("run_cap: 2\n", "{type: fifo, max: 2}");
    for (const int resource : {1, 2}) {
        auto report = report_of(0, resource, 0.5);
        report.seconds = 10.00049 * resource;
        report.evaluated = 0.5;
        stage.agents.notices.push_back(report);
    }
    stage.agents.report(1, 1, 0.5);
    stage.agents.report(1, 2, 0.5);

    stage.run();

    const auto history = [&] {
        History all(stage.file.spec, Reports::all);
        Journal::read(stage.directory.journal(), [&](const Journal::Line& line) { all.apply(line); });
        return all;
    }();
    const auto& told = history.of(TrialId{0}).reports;
    CHECK(told[0].seconds == 10.0);
    CHECK(told[1].seconds == 20.001);
    CHECK(told[1].evaluated == 0.5);
    const auto& counted = history.of(TrialId{1}).reports;
    CHECK(*counted[0].seconds >= 0);
    CHECK(*counted[1].seconds >= *counted[0].seconds);
    CHECK(*counted[1].seconds <= history.elapsed() + 0.001);
    CHECK_FALSE(counted[1].evaluated.has_value());
    CHECK(Json::parse(trials_table(history).print(Format::json))[0]["seconds"] == 20.001);
}

TEST_CASE("the measures of a trial's steps are journalled with four digits") {
    Stage stage("run_cap: 1\n", "{type: fifo, max: 2}");
    auto report = report_of(0, 1, 0.5);
    report.step_seconds = 0.0251349;
    report.group_batch = 24576;
    report.noise_scale = 1234.56;
    stage.agents.notices.push_back(report);
    stage.agents.report(0, 2, 0.5);

    stage.run();

    History history(stage.file.spec, Reports::all);
    Journal::read(stage.directory.journal(), [&](const Journal::Line& line) { history.apply(line); });
    const auto& reports = history.of(TrialId{0}).reports;
    CHECK(reports[0].step_seconds == 0.02513);
    CHECK(reports[0].group_batch == 24576.0);
    CHECK(reports[0].noise_scale == 1235.0);
    CHECK_FALSE(reports[1].step_seconds.has_value());
}

TEST_CASE("a trial's speed-up by growing is in its results, even when its journal is read again") {
    Stage stage("run_cap: 1\n", "{type: rasda, max: 4, reduction_factor: 2, batch: global, grow_when: faster}");
    for (const auto& [resource, step_seconds] : {std::pair{1, 0.02}, {2, 0.0125}, {4, 0.0125}}) {
        auto report = report_of(0, resource, 0.5);
        report.generation = resource == 1 ? 0 : 1;  // it grows at its first rung
        report.step_seconds = step_seconds;
        report.group_batch = 64;
        stage.agents.notices.push_back(report);
    }

    stage.run();

    const auto history = History::read(stage.file.spec, stage.directory.journal());
    const auto row = Json::parse(trials_table(history).print(Format::json))[0];
    CHECK(row["workers"] == 2);
    CHECK(row.at("speedup_measured").get<double>() == doctest::Approx(1.6));
    CHECK(row["speedup_predicted"].is_null());  // no trial had two workers before
}

TEST_CASE("replaying the journal gives the state that the coordinator had") {
    Stage stage("run_cap: 3\n");
    stage.agents.report(0, 1, 0.5);
    stage.agents.report(1, 1, 0.4);
    stage.agents.report(0, 2, 0.55);
    stage.agents.report(2, 1, 0.6);
    stage.agents.report(0, 4, 0.7);
    stage.agents.report(2, 4, 0.65);

    CHECK(stage.run() == Outcome::finished);

    const auto replayed = History::read(stage.file.spec, stage.directory.journal());
    REQUIRE(replayed.sweep().trials().size() == 3);
    for (const auto& trial : stage.history.sweep().trials()) {
        const auto& again = replayed.sweep().trial(trial.id);
        CHECK(again.status == trial.status);
        CHECK(again.resource == trial.resource);
        CHECK(again.loss == trial.loss);
        CHECK(again.group.generation == trial.group.generation);
    }
    CHECK(replayed.slot_seconds() == stage.history.slot_seconds());
    CHECK(replayed.elapsed() == stage.history.elapsed());
}
