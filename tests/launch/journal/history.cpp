#include "launch/journal/history.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <fstream>

#include "core/check.hpp"
#include "core/files/durable_file.hpp"
#include "core/files/file_descriptor.hpp"
#include "launch/files/read_file.hpp"
#include "launch/journal/journal.hpp"
#include "launch/journal/report_record.hpp"
#include "launch/json/event_json.hpp"
#include "tests/error_of.hpp"
#include "tests/failing_disk.hpp"
#include "tests/launch/coordinator/stage.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::Stage;
using crescendo::tests::TemporaryFolder;

TEST_CASE("if the journal says that a node was left out, all slots of that node count as left out") {
    Stage stage("run_cap: 1\n");
    for (const auto* record :
         {R"({"note":"session","time":1,"host":"h","slots":3})",
          R"({"event":"slots_joined","time":1,"slots":[{"slot":0,"node":0},{"slot":1,"node":1},{"slot":2,"node":1}]})",
          R"({"note":"left_out","time":2,"node":1})", R"({"event":"slots_lost","time":2,"slots":[1,2]})"}) {
        stage.history.apply(Json::parse(record));
    }

    CHECK(stage.history.left_out() == LeftOut{{SlotId{1}, ""}, {SlotId{2}, ""}});
}

TEST_CASE("a record whose time is no date is refused") {
    Stage stage("run_cap: 1\n");
    const auto refusal = [&](double time) {
        return tests::error_of([&] { stage.history.apply(Json{{"event", "time_up"}, {"time", time}}); });
    };

    CHECK(refusal(1e300) == "its time, 1e+300 seconds after 1970, is no date");
    CHECK(refusal(-1e300) == "its time, -1e+300 seconds after 1970, is no date");
}

TEST_CASE("slots left out of one session are not left out of the next") {
    Stage stage("run_cap: 1\n");
    stage.history.apply(session_note(1, "h", 1));
    stage.history.apply(left_out_note(2, {{SlotId{0}, "GPU 0"}}));
    REQUIRE(stage.history.left_out().size() == 1);

    stage.history.apply(session_note(3, "h", 1));

    CHECK(stage.history.left_out().empty());
}

TEST_CASE("a repeated report is kept once") {
    Stage stage("run_cap: 1\n", "{type: fifo, max: 4}");
    stage.history.apply(session_note(1, "h", 1));
    stage.history.apply(Json::parse(R"({"event":"slots_joined","time":1,"slots":[{"slot":0,"node":0}]})"));
    for (const double time : {2.0, 3.0}) {
        stage.history.apply(ReportRecord{tests::report_of(/*trial=*/0, /*resource=*/1, 0.5), /*loss=*/-0.5, time});
    }

    REQUIRE(stage.history.of(TrialId{0}).reports.size() == 1);
    CHECK(stage.history.of(TrialId{0}).reports[0].time == 1);
}

TEST_CASE("a retried trial has not ended") {
    Stage stage("run_cap: 2\n");
    const auto apply = [&](double time, const Event& event) { stage.history.apply(record_of(event, time)); };
    stage.history.apply(session_note(1, "h", 1));
    apply(1, SlotsJoined{{{SlotId{0}, NodeId{0}}}});
    for (int time = 2; stage.history.sweep().trial(TrialId{0}).status != TrialStatus::failed; ++time) {
        REQUIRE(time < 10);
        apply(time, TrialFailed{TrialId{0}, FailureKind::crash});
    }
    REQUIRE(stage.history.of(TrialId{0}).ended.has_value());

    apply(20, TrialRetried{TrialId{0}});

    CHECK_FALSE(stage.history.of(TrialId{0}).ended.has_value());
}

TEST_CASE("the durations of the phases of regroups are kept as far as trainers reported them") {
    Stage stage("run_cap: 1\n");
    for (
        const auto* record :
        {R"({"note":"session","time":1,"host":"h","slots":1})",
         R"({"event":"slots_joined","time":1,"slots":[{"slot":0,"node":0}]})",
         R"({"event":"trial_regrouped","time":2,"trial":0,"generation":1,"seconds":0.3,"phases":{"group":0.1,"step":0.2}})",
         R"({"event":"trial_regrouped","time":3,"trial":0,"generation":2,"seconds":0.5,"phases":{"group":0.4}})",
         R"({"event":"trial_regrouped","time":4,"trial":0,"generation":3,"seconds":0.7})"}) {
        stage.history.apply(Json::parse(record));
    }

    CHECK(stage.history.regroup_seconds() == std::vector{0.3, 0.5, 0.7});
    CHECK(stage.history.regroup_phases() ==
          std::map<std::string, std::vector<double>>{{"group", {0.1, 0.4}}, {"step", {0.2}}});
}

TEST_CASE("a clock that was written as null, because it was not finite, counts as missing") {
    Stage stage("run_cap: 1\n");
    for (
        const auto* record :
        {R"({"note":"session","time":1,"host":"h","slots":1})",
         R"({"event":"slots_joined","time":1,"slots":[{"slot":0,"node":0}]})",
         R"({"event":"trial_reported","trial":0,"resource":1,"loss":-1.0,"time":2,"clock":[null],"metrics":{"accuracy":1.0}})",
         R"({"event":"trial_reported","trial":0,"resource":2,"loss":-1.0,"time":3,"clock":[2.5,null],"metrics":{"accuracy":1.0}})",
         R"({"event":"trial_reported","trial":0,"resource":3,"loss":-1.0,"time":4,"clock":[3.5],"metrics":{"accuracy":1.0}})"}) {
        stage.history.apply(Json::parse(record));
    }

    const auto& reports = stage.history.of(TrialId{0}).reports;
    REQUIRE(reports.size() == 3);
    CHECK_FALSE(reports[0].seconds.has_value());
    CHECK(reports[1].seconds == 2.5);
    CHECK_FALSE(reports[1].evaluated.has_value());
    CHECK(reports[2].seconds == 3.5);
    CHECK_FALSE(reports[2].evaluated.has_value());
}

TEST_CASE("until its first report, a trial's training clock counts from when the trial got its slots") {
    Stage stage("run_cap: 1\n", "{type: fifo, max: 4, workers: 2}");
    const auto apply = [&](double time, const Event& event) { stage.history.apply(record_of(event, time)); };
    stage.history.apply(session_note(1000, "h", 2));
    apply(1000, SlotsJoined{{{SlotId{0}, NodeId{0}}, {SlotId{1}, NodeId{1}}}});

    apply(1003, TrialFailed{TrialId{0}, FailureKind::crash, SlotId{1}});  // the other worker continues
    apply(1005, TrialRegrouped{TrialId{0}, 1, 0.1});
    apply(1006, TrialHeld{TrialId{0}, HoldAt::report});
    CHECK(stage.history.clock_at(TrialId{0}, 1007) == 7);
    apply(1009, TrialReleased{TrialId{0}});
    apply(1010, SlotsLost{{SlotId{0}, SlotId{1}}});
    apply(1020, SlotsJoined{{{SlotId{0}, NodeId{0}}, {SlotId{1}, NodeId{1}}}});

    CHECK(stage.history.clock_at(TrialId{0}, 1021) == 1);  // the trial started again
    CHECK(stage.history.running_seconds_at(TrialId{0}, 1021) == 11);
    CHECK(stage.history.slot_seconds() == 3 * 2 + 7);
    CHECK(stage.history.of(TrialId{0}).most_workers == 2);  // though it has never reported
}

TEST_CASE("after a report, the training clock continues from the reported time") {
    Stage stage("run_cap: 1\n", "{type: fifo, max: 4}");
    for (
        const auto* record :
        {R"({"note":"session","time":1000,"host":"h","slots":1})",
         R"({"event":"slots_joined","time":1000,"slots":[{"slot":0,"node":0}]})",
         R"({"event":"trial_reported","trial":0,"resource":1,"loss":-0.5,"time":1010,"clock":[8.0],"metrics":{"accuracy":0.5}})"}) {
        stage.history.apply(Json::parse(record));
    }

    CHECK(stage.history.clock_at(TrialId{0}, 1013) == 8 + 3);
    CHECK(stage.history.clock_at(TrialId{0}, 1009) == 8);  // the machine's clock was set back

    stage.history.apply(record_of(SlotsLost{{SlotId{0}}}, 1010));
    CHECK(stage.history.running_seconds_at(TrialId{0}, 1050) == 10);
    stage.history.apply(record_of(SlotsJoined{{{SlotId{0}, NodeId{0}}}}, 1100));
    CHECK(stage.history.clock_at(TrialId{0}, 1102) == 8 + 2);  // it trained nothing while it had no slot
}

TEST_CASE("a history of all reports keeps the slots of every group, and sessions have dates and hosts") {
    Stage stage("run_cap: 1\n", "{type: fifo, max: 4, workers: 2}");
    History last(stage.file.spec, Reports::last);
    const auto apply = [&](double time, const Event& event) {
        const auto record = record_of(event, time);
        stage.history.apply(record);
        last.apply(record);
    };
    stage.history.apply(session_note(1000, "a", 2));
    apply(1000, SlotsJoined{{{SlotId{0}, NodeId{0}}, {SlotId{1}, NodeId{1}}}});
    apply(1003, TrialFailed{TrialId{0}, FailureKind::crash, SlotId{1}});  // the other worker continues
    apply(1010, SlotsLost{{SlotId{0}, SlotId{1}}});
    stage.history.apply(session_note(5000, "b", 0));

    const auto& groups = stage.history.of(TrialId{0}).groups;
    REQUIRE(groups.size() == 3);
    CHECK(groups[0].slots == std::vector{SlotId{0}, SlotId{1}});
    CHECK(groups[1].time == 3);
    CHECK(groups[1].slots == std::vector{SlotId{0}});
    CHECK(groups[2].workers() == 0);
    CHECK(last.of(TrialId{0}).groups.empty());
    const auto& sessions = stage.history.sessions();
    REQUIRE(sessions.size() == 2);
    CHECK(sessions[1].elapsed == 10);
    CHECK(sessions[1].date == 5000);
    CHECK(sessions[1].host == "b");
}

TEST_CASE("at any time, the slot time of the trials adds up to the slot time of the sweep") {
    Stage stage("run_cap: 2\n", "{type: fifo, max: 4, workers: 1}");
    for (const auto* record :
         {R"({"note":"session","time":1000,"host":"h","slots":2})",
          R"({"event":"slots_joined","time":1000,"slots":[{"slot":0,"node":0},{"slot":1,"node":0}]})",
          R"({"event":"trial_reported","trial":0,"resource":1,"loss":-0.5,"time":1010,"metrics":{"accuracy":0.5}})"}) {
        stage.history.apply(Json::parse(record));
    }
    stage.history.come_to(1030);

    CHECK(stage.history.slot_seconds_of(TrialId{0}) == 30);
    CHECK(stage.history.slot_seconds_of(TrialId{1}) == 30);  // has not reported
    CHECK(stage.history.slot_seconds() == 60);
    stage.history.interrupt();
    CHECK(stage.history.slot_seconds_of(TrialId{1}) == 30);
}

TEST_CASE("the time between reports is measured per trial, however many slots the trial holds") {
    Stage stage("run_cap: 2\n", "{type: fifo, max: 4, workers: 4}");
    const auto apply = [&](double time, const Event& event) {
        auto record = record_of(event, time);
        if (std::holds_alternative<TrialReported>(event)) {
            record["metrics"] = {{"accuracy", 0.5}};
        }
        stage.history.apply(record);
    };
    const auto slots_from = [](int first) {
        SlotsJoined joined;
        for (int slot = first; slot < first + 4; ++slot) {
            joined.slots.push_back({SlotId{slot}, NodeId{0}});
        }
        return joined;
    };
    stage.history.apply(session_note(1000, "h", 4));
    apply(1000, slots_from(0));
    CHECK_FALSE(stage.history.seconds_per_report().has_value());

    apply(1010, TrialReported{TrialId{0}, Resource{1}, -0.5});
    CHECK(stage.history.seconds_per_report() == 10);
    apply(1010, slots_from(4));  // for the other trial
    apply(1015, TrialReported{TrialId{0}, Resource{2}, -0.5});
    apply(1020, SlotsLost{{SlotId{0}}});  // three workers continue

    apply(1025, TrialReported{TrialId{1}, Resource{1}, -0.5});
    CHECK(stage.history.seconds_per_report() == (25 + 15) / 3.0);
    stage.history.come_to(1028);  // both train until then
    CHECK(stage.history.seconds_per_report() == (28 + 18) / 3.0);
}

namespace {

/// Writes the journal of a sweep in which a model proposed trials, or configurations, 10 to 20, and returns the sweep.
/// Each repetition has a record of its configuration.
SweepSpec record_a_model(const std::filesystem::path& path, const Repeat& repeat = {}) {
    SweepSpec spec;
    spec.repeat = repeat;
    spec.metric = "loss";
    spec.run_cap = 30;
    spec.sampler = "tpe";
    spec.space = SearchSpace{{{"x", Uniform{0, 1}}}};
    spec.scheduler.kind = SchedulerKind::fifo;
    spec.scheduler.max = Resource{1};
    auto journal = Journal::create(path, OrderedJson::object());
    const auto write = [&](const Event& event) { journal.append(record_of(event, /*time=*/1.0)); };
    const auto propose = [&](int configuration, double x) {
        for (int i = 0; i < repeat.times; ++i) {
            write(TrialProposed{TrialId{configuration * repeat.times + i},
                                {{"x", x}},
                                configuration < 10 ? Origin::random : Origin::model});
        }
    };
    SlotsJoined joined;
    for (int slot = 0; slot < repeat.times; ++slot) {
        joined.slots.push_back({SlotId{slot}, NodeId{0}});
    }
    write(joined);
    for (int i = 0; i < 20; ++i) {  // a model would propose values near 0 if it were asked
        propose(i, 0.01 * i);
        for (int trial = i * repeat.times; trial < (i + 1) * repeat.times; ++trial) {
            write(TrialReported{TrialId{trial}, Resource{1}, 0.01 * i});
        }
    }
    propose(20, 0.875);
    journal.sync();
    return spec;
}

}  // namespace

TEST_CASE("a replay takes proposals of models from the journal as trials start, without asking the models") {
    const TemporaryFolder folder;

    History history(record_a_model(folder / "journal"));
    auto num_left = Journal::read(folder / "journal").size() - 1;
    history.replay(folder / "journal", History::Purpose::look, [&](const Journal::Line& line) {
        if (num_left > 0) {
            --num_left;
            history.apply(line);
        }
    });

    const auto& last = history.sweep().trial(TrialId{20});  // has started; its own record was not read
    CHECK(last.config == Config{{"x", 0.875}});
    CHECK(last.origin == Origin::model);
    CHECK(last.is_proposed);
}

TEST_CASE("a replay takes the configurations of repetitions from the journal, where each has its own record") {
    const TemporaryFolder folder;

    History history(record_a_model(folder / "journal", {.times = 3}));
    auto num_left = Journal::read(folder / "journal").size() - 3;
    history.replay(folder / "journal", History::Purpose::look, [&](const Journal::Line& line) {
        if (num_left > 0) {
            --num_left;
            history.apply(line);
        }
    });

    for (const int trial : {60, 61, 62}) {  // have started; their own records were not read
        CAPTURE(trial);
        CHECK(history.sweep().trial(TrialId{trial}).config == Config{{"x", 0.875}});
        CHECK(history.sweep().trial(TrialId{trial}).origin == Origin::model);
    }
    CHECK(history.sweep().trial(TrialId{59}).config == Config{{"x", 0.01 * 19}});
}

TEST_CASE("a model's proposals are taken from a damaged journal too, up to the damage") {
    const TemporaryFolder folder;
    History history(record_a_model(folder / "journal"));
    auto text = read_file(folder / "journal");
    text[text.find("0.12")] = '1';  // of trial 12
    std::ofstream(folder / "journal") << text;

    CHECK_THROWS_AS(history.replay(folder / "journal", History::Purpose::look), InvalidInput);

    CHECK(history.sweep().trial(TrialId{11}).config == Config{{"x", 0.01 * 11}});
    CHECK(history.sweep().trial(TrialId{11}).resource == Resource{1});
}

TEST_CASE("a continued sweep does not use a model's proposal that never reached the failed disk") {
    tests::FailingDisk disk;
    if (!disk) {
        return;
    }
    const auto path = disk.path() / "journal";
    const auto copy = disk.folder() / "copy";
    const auto spec = record_a_model(copy);
    {
        auto journal = Journal::open(copy);
        for (int i = 0; i < 400; ++i) {  // more than a block, and more than a page
            journal.append(OrderedJson(time_note(1.0)));
        }
        journal.sync();
    }
    const auto whole = read_file(copy);
    const auto on_disk =
        whole.rfind('\n', whole.find("0.875")) + 1;  // up to the proposal for trial 20, which has begun
    std::ofstream(path) << whole.substr(0, on_disk);
    sync_to_disk(path);

    std::ofstream(path, std::ios::app) << whole.substr(on_disk);
    disk.fail();
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    CHECK(::fdatasync(file.get()) == -1);
    disk.mend();
    REQUIRE(read_file(path) == whole);  // from memory
    History history(spec);
    history.replay(path, History::Purpose::go_on);

    const auto& last = history.sweep().trial(TrialId{20});
    CHECK_FALSE(last.is_proposed);  // so its proposal is recorded when the sweep continues
    CHECK(last.config != Config{{"x", 0.875}});
}

TEST_CASE("times do not go back if the clock is set back, and a session begins at its own time") {
    Stage stage("run_cap: 1\n");
    for (const auto* record : {R"({"note":"session","time":100,"host":"h","slots":1})",
                               R"({"event":"slots_joined","time":100,"slots":[{"slot":0,"node":0}]})",
                               R"({"event":"slots_lost","time":40,"slots":[0]})"}) {
        stage.history.apply(Json::parse(record));
        CHECK(stage.history.elapsed() == 0);
    }
    stage.history.apply(Json::parse(R"({"note":"session","time":50,"host":"h","slots":1})"));
    stage.history.apply(Json::parse(R"({"event":"slots_joined","time":53,"slots":[{"slot":0,"node":0}]})"));

    CHECK(stage.history.elapsed() == 3);
    CHECK(stage.history.slot_seconds_had() == 0);
}

TEST_CASE("a history for curves holds only the sweep's metric, except in the last report") {
    const Stage stage("run_cap: 1\n", "{type: fifo, max: 9}");
    History history(stage.file.spec, Reports::curves);
    history.apply(Json::parse(R"({"event":"slots_joined","time":1,"slots":[{"slot":0,"node":0}]})"));
    const auto& metric = stage.file.spec.metric;
    for (int i = 1; i <= 3; ++i) {
        history.apply(Json{{"event", "trial_reported"},
                           {"trial", 0},
                           {"resource", i},
                           {"loss", 0.5 * i},
                           {"time", 1.0 + i},
                           {"metrics", {{metric, 0.5 * i}, {"grad_norm", 2.0}, {"mae", 3.0}}}});
    }

    const auto& reports = history.of(TrialId{0}).reports;
    REQUIRE(reports.size() == 3);
    CHECK(reports[0].metrics == protocol::Metrics{{metric, 0.5}});
    CHECK(reports[1].metrics == protocol::Metrics{{metric, 1.0}});
    CHECK(reports[2].metrics.size() == 3);  // tables show the last one
}

TEST_CASE("a long break does not count in full as soon as a process holds the sweep to continue it") {
    const auto seen = [](double now, bool is_held) {
        Stage stage("run_cap: 1\n");
        stage.history.apply(session_note(1000, "h", 1));
        stage.history.apply(Json::parse(R"({"event":"slots_joined","time":1010,"slots":[{"slot":0,"node":0}]})"));
        stage.history.look(now, is_held);
        return std::pair(stage.history.elapsed(), stage.history.sweep().trial(TrialId{0}).status);
    };

    CHECK(seen(1070, true) == std::pair(70.0, TrialStatus::running));
    CHECK(seen(1e6, true) == std::pair(10 + 2 * longest_silence, TrialStatus::running));
    CHECK(seen(1e6, false) == std::pair(10.0, TrialStatus::waiting));
}

TEST_CASE("a sweep that has ended does not change, whether or not a process holds it") {
    Stage stage("run_cap: 1\n", "{type: fifo, max: 1}");
    stage.history.apply(session_note(1000, "h", 1));
    stage.history.apply(Json::parse(R"({"event":"slots_joined","time":1000,"slots":[{"slot":0,"node":0}]})"));
    stage.history.apply(ReportRecord{tests::report_of(/*trial=*/0, /*resource=*/1, 0.5), /*loss=*/-0.5, 1010});
    REQUIRE(stage.history.sweep().state() == SweepState::finished);

    for (const bool is_held : {true, false}) {
        stage.history.look(1e6, is_held);
        CHECK(stage.history.elapsed() == 10);
        CHECK(stage.history.sweep().num_slots() == 1);
    }
}

TEST_CASE("a trial keeps its first start and its end, whatever becomes of the slots") {
    Stage stage("run_cap: 2\n", "{type: fifo, max: 2}");
    const auto apply = [&](double time, const Event& event) { stage.history.apply(record_of(event, time)); };
    const SlotsJoined joined{{{SlotId{0}, NodeId{0}}, {SlotId{1}, NodeId{0}}}};
    stage.history.apply(session_note(1000, "h", 2));
    apply(1001, joined);
    stage.history.apply(ReportRecord{tests::report_of(/*trial=*/0, /*resource=*/2, 0.5), /*loss=*/-0.5, 1010});
    apply(1050, SlotsLost{{SlotId{0}, SlotId{1}}});
    apply(1100, joined);

    CHECK(stage.history.of(TrialId{0}).ended == 10);
    CHECK(stage.history.of(TrialId{1}).started == 1);
}

TEST_CASE("the most slots of a sweep are the maximum over all its sessions") {
    Stage stage("run_cap: 1\n");
    for (const auto* record :
         {R"({"note":"session","time":1,"host":"h","slots":2})",
          R"({"event":"slots_joined","time":1,"slots":[{"slot":0,"node":0},{"slot":1,"node":1}]})",
          R"({"event":"slots_lost","time":2,"slots":[0,1]})", R"({"note":"session","time":3,"host":"h","slots":0})"}) {
        stage.history.apply(Json::parse(record));
    }

    CHECK(stage.history.most_slots() == 2);
}

TEST_CASE("the error for a record that cannot be applied names its file and line") {
    const Stage stage("run_cap: 1\n");
    const TemporaryFolder folder;
    const auto error_for = [&](const char* record) {
        const auto path = folder / "journal.jsonl";
        std::filesystem::remove(path);
        auto journal = Journal::create(path);
        journal.append(session_note(1, "h", 1));
        journal.append(OrderedJson::parse(record));
        journal.sync();
        return tests::error_of([&] { History::read(stage.history.sweep().spec(), path); });
    };

    CHECK(error_for(R"({"event":"trial_frozen","trial":0,"time":2})")
              .starts_with((folder / "journal.jsonl:3: the record cannot be applied: ").string()));
    CHECK(error_for(R"({"note":"tested","trial":0,"time":2})")
              .starts_with((folder / "journal.jsonl:3: the record cannot be applied: ").string()));
}
