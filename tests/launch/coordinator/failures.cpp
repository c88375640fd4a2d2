#include "launch/coordinator/failures.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/launch/coordinator/stage.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::Stage;

TEST_CASE("an error that repeats on another slot fails the trial at once, even if its numbers differ") {
    Stage stage("run_cap: 2\nmax_retries: 9\n");
    stage.agents.report(1, 4, 0.8);  // slot 1 is free
    stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::error, "no file, process 12"});
    stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{1}, FailureKind::error, "no file, process 345"});

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.history.sweep().trial(TrialId{0}).status == TrialStatus::failed);
    CHECK(stage.view.said.back() ==
          "trial 0 failed and is not retried, since another attempt would fail in the same way: no file, process 345");
}

TEST_CASE("an error that repeats on one of several slots may be the slot's fault") {
    Stage stage("run_cap: 2\nmax_retries: 9\n", "{type: fifo, max: 4}");
    for (int attempt = 0; attempt < 3; ++attempt) {  // trial 1 has the other slot
        stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::error, "no file"});
    }
    stage.agents.report(0, 4, 0.7);
    stage.agents.report(1, 4, 0.8);

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.history.sweep().trial(TrialId{0}).status == TrialStatus::finished);
    CHECK(stage.history.sweep().trial(TrialId{0}).failures == 3);
}

TEST_CASE("a group that loses one worker after another to the same error has failed once") {
    Stage stage("run_cap: 1\nmax_retries: 9\n");
    stage.agents.report(0, 1, 0.5);  // it grows to both slots
    for (const int slot : {0, 1}) {
        stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{slot}, FailureKind::error, "no file"});
    }
    stage.agents.report(0, 4, 0.8);

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.history.sweep().trial(TrialId{0}).status == TrialStatus::finished);
    CHECK(stage.history.sweep().trial(TrialId{0}).failures == 1);
    CHECK(stage.view.said == std::vector<std::string>(2, "trial 0 gave up: no file"));
}

TEST_CASE("crashes and errors make the slot suspect, but running out of memory does not") {
    Stage stage("run_cap: 1\nmax_retries: 9\n", "{type: fifo, max: 4}");
    stage.agents.all_slots.resize(1);
    for (const auto kind : {FailureKind::crash, FailureKind::error, FailureKind::out_of_memory}) {
        stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{0}, kind, verb_of(kind)});
    }
    stage.agents.report(0, 4, 0.7);

    CHECK(stage.run() == Outcome::finished);

    std::vector<bool> suspects;
    for (const auto& record : stage.journalled()) {
        if (record.value("event", "") == "trial_failed") {
            suspects.push_back(record.contains("suspect"));
        }
    }
    CHECK(suspects == std::vector{true, true, false});
}

TEST_CASE("a trial is retried after an error that returns after progress and after a crash that repeats") {
    Stage stage("run_cap: 1\nmax_retries: 1\n", "{type: fifo, max: 4}");
    stage.agents.all_slots.resize(1);
    stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::error, "no luck"});
    stage.agents.report(0, 1, 0.5);
    stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::error, "no luck"});
    stage.agents.report(0, 2, 0.5);
    for (const int epoch : {3, 4}) {
        stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::crash, "signal 9"});
        stage.agents.report(0, epoch, 0.5);
    }

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.history.sweep().trial(TrialId{0}).status == TrialStatus::finished);
    CHECK(stage.history.sweep().trial(TrialId{0}).failures == 4);
}

TEST_CASE("last words of several lines are printed once; later failures name the trial that had them first") {
    ToldFailures told;

    CHECK(told.words_for(TrialId{0}, "exit status 1; last words: file 7\nno data") ==
          "exit status 1; last words: file 7\nno data");
    CHECK(told.words_for(TrialId{0}, "exit status 1; last words: file 7\nno data") == "in the same way as before");
    CHECK(told.words_for(TrialId{2}, "exit status 1; last words: file 8\nno data") ==
          "in the same way as trial 0 above");
    CHECK(told.words_for(TrialId{3}, "exit status 1; last words: file 8\nno disk").ends_with("no disk"));
    CHECK(told.words_for(TrialId{3}, "exit status 1; last words:\nno disk in run-20261128-8jl4s9e7") !=
          "in the same way as before");
    CHECK(told.words_for(TrialId{4}, "exit status 1; last words:\nno disk in run-20261129-x7").ends_with("above"));
    const auto in_file = [](const char* name) {
        return fmt::format("last words: File \"/home/u2/{}\"\nKeyError", name);
    };
    CHECK(told.words_for(TrialId{5}, in_file("data.py")) == in_file("data.py"));
    CHECK(told.words_for(TrialId{6}, in_file("model.py")) == in_file("model.py"));
    CHECK(told.words_for(TrialId{5}, "last words:\nno key 'conv1'") == "last words:\nno key 'conv1'");
    CHECK(told.words_for(TrialId{6}, "last words:\nno key 'bn2'") == "last words:\nno key 'bn2'");
    const std::string cause = "; a report such as this one cannot be understood by anybody";
    CHECK(told.words_for(TrialId{5}, "its resource is 1.5" + cause) == "its resource is 1.5" + cause);
    CHECK(told.words_for(TrialId{6}, "its resource is \"1\"" + cause) == "its resource is \"1\"" + cause);
    const std::string long_line(61, 'x');
    CHECK(told.words_for(TrialId{4}, long_line) == long_line);
    CHECK(told.words_for(TrialId{5}, long_line) == "in the same way as trial 4 above");
    CHECK(told.words_for(TrialId{4}, "signal 9") == "signal 9");
    CHECK(told.words_for(TrialId{5}, "signal 9") == "signal 9");
}

TEST_CASE("a report without the sweep's metric fails the trial at once, and the message suggests a similar name") {
    Stage stage("run_cap: 1\n");
    auto report = crescendo::tests::report_of(0, 1, 0.5);
    report.metrics = {{"acuracy", 0.5}, {"loss", 1.0}};
    stage.agents.notices.push_back(report);

    CHECK(stage.run() == Outcome::failed);

    CHECK(stage.history.sweep().trial(TrialId{0}).failures == 1);
    CHECK(stage.view.said.at(0) ==
          "trial 0 failed and is not retried, since another attempt would fail in the same way: it reported the "
          "numbers {\"acuracy\":0.5,\"loss\":1.0} without the sweep's metric, 'accuracy' (did you mean 'acuracy'?); "
          "add it to each report, or name one of these as metric.name in a new sweep");
}

TEST_CASE("a program that ends without an error and without a report ends the sweep at once") {
    Stage stage("run_cap: 9\n", "{type: fifo, max: 4}");
    stage.agents.notices.push_back(
        WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::repeated_error, "no report", ProgramFault::never_reports});

    CHECK(stage.run() == Outcome::hopeless);

    CHECK(stage.history.sweep().trial(TrialId{0}).failures == 1);
    CHECK(stage.agents.sent<JoinGroup>().size() == 2);  // the first two, and no other trial in their place
}

TEST_CASE("arguments that every program refuses end the sweep; if only one refuses them, only its trial fails") {
    const auto refuse = [](int trial) {
        return WorkerFailed{TrialId{trial}, SlotId{trial % 2}, FailureKind::repeated_error, "exit status 2",
                            ProgramFault::usage_error};
    };
    Stage all("run_cap: 9\n", "{type: fifo, max: 4}");
    all.agents.notices = {refuse(0), refuse(1)};  // the trials that had begun when the first one failed
    Stage one("run_cap: 2\n", "{type: fifo, max: 4}");
    one.agents.notices = {refuse(0)};
    one.agents.report(1, 4, 0.5);

    CHECK(all.run() == Outcome::hopeless);
    CHECK(one.run() == Outcome::finished);

    CHECK(one.history.sweep().trial(TrialId{0}).status == TrialStatus::failed);
    CHECK(one.history.sweep().trial(TrialId{0}).failures == 1);
}

TEST_CASE("three trials that fail before any report stop the sweep, which can be resumed") {
    Stage stage("run_cap: 9\nmax_retries: 0\n", "{type: fifo, max: 4}");
    for (const int trial : {0, 1, 2}) {
        stage.agents.notices.push_back(
            WorkerFailed{TrialId{trial}, SlotId{trial % 2}, FailureKind::error, "no such file"});
    }

    CHECK(stage.run() == Outcome::hopeless);

    CHECK(stage.history.sweep().state() == SweepState::running);
    CHECK(stage.agents.sent<LeaveTrial>().size() == 1);  // the running trial is saved, and no other one is started
    CHECK(stage.agents.sent<LeaveTrial>().back().second.save);
}

TEST_CASE("trials that fail after a report of another trial do not stop the sweep") {
    Stage stage("run_cap: 4\nmax_retries: 0\n", "{type: fifo, max: 4}");
    stage.agents.report(0, 1, 0.5);
    for (const int trial : {1, 2, 3}) {
        stage.agents.notices.push_back(WorkerFailed{TrialId{trial}, SlotId{1}, FailureKind::error, "no such file"});
    }
    stage.agents.report(0, 4, 0.5);

    CHECK(stage.run() == Outcome::finished);
}
