#include "launch/agent/program_run.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "tests/launch/agent/program_node.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

namespace {

const ReportSource printed{{R"(epoch (?P<resource>\d+): (?P<loss>.*))"}, "", 1};

const Times patient{.grace = std::chrono::minutes(1), .save = std::chrono::minutes(1)};

/// The remarks about a program until it ends.
std::vector<std::string> remarks_until_end(ProgramNode& node) {
    std::vector<std::string> said;
    await("the program ends", [&] {
        bool has_ended = false;
        for (const auto& notice : node.agent.poll(std::chrono::milliseconds(50))) {
            if (const auto* remark = std::get_if<ProgramRemark>(&notice)) {
                said.push_back(remark->message);
            }
            has_ended =
                has_ended || std::holds_alternative<ProgramEnded>(notice) || std::holds_alternative<LeftTrial>(notice);
        }
        return has_ended;
    });
    return said;
}

/// The remarks about a program that runs `script`, in which `say RESOURCE LOSS` reports.
std::vector<std::string> remarks_on(const std::string& script, const std::optional<ReportSource>& source = {},
                                    Resource reported = {}) {
    ProgramNode node(1, patient, source);
    node.start(0, 0, R"(say() { echo "{\"resource\":$1,\"metrics\":{\"loss\":$2}}" >&$CRESCENDO_FD; }; )" + script,
               reported);
    return remarks_until_end(node);
}

}  // namespace

TEST_CASE("a program reports, gets the decision to continue, and ends") {
    ProgramNode node(1);

    node.start(
        4, 0,
        std::string(report_once) +
            R"(echo "$reply $CRESCENDO_TRIAL $CRESCENDO_SEED $CRESCENDO_MAX_RESOURCE $CRESCENDO_METRIC $WORLD_SIZE" > heard)");
    const auto report = node.next<protocol::Report>();
    node.agent.obey(protocol::Decision{TrialId{4}, 1, Resource{1}});
    const auto ended = node.next<ProgramEnded>();
    node.agent.obey(LeaveTrial{TrialId{5}, /*save=*/false});  // for another worker of the node
    node.agent.obey(LeaveTrial{TrialId{4}, /*save=*/false});  // sent before the news arrived

    CHECK(node.next<LeftTrial>().trial == TrialId{4});
    CHECK(report.trial == TrialId{4});
    CHECK(report.resource == Resource{1});
    CHECK(report.metrics.at("loss") == 0.25);
    CHECK(ended.trial == TrialId{4});
    std::string heard;
    std::getline(std::ifstream(node.folder / "heard") >> std::ws, heard);
    CHECK(heard == R"({"decision":"continue"} 4 11 9 loss 1)");
}

TEST_CASE("a program that ends when it is told to stop has left its trial") {
    ProgramNode node(1);
    node.start(0, 0, report_once);
    node.next<protocol::Report>();

    node.agent.obey(LeaveTrial{TrialId{0}, false});

    CHECK(node.next<LeftTrial>().slot == SlotId{0});
}

TEST_CASE("a program that ignores stop and SIGTERM is killed with its processes in other sessions") {
    ProgramNode node(1);
    node.start(0, 0,
               std::string("trap '' TERM; setsid bash -c 'trap \"\" TERM; echo $$ > grandchild; exec sleep 1000' & ") +
                   report_once + "sleep 1000; sleep 1000");
    node.next<protocol::Report>();
    long grandchild = 0;
    await("the grandchild starts", [&] { return (grandchild = number_in(node.folder / "grandchild")) != 0; });

    node.agent.obey(LeaveTrial{TrialId{0}, false});
    CHECK(node.next<ProgramRemark>().message.starts_with("it was asked to stop but did not end"));
    node.next<LeftTrial>();

    await("the grandchild ends", [&] { return !is_alive(grandchild); });
}

TEST_CASE("the processes of a hung program are killed, even if the order to leave comes while it is being ended") {
    ProgramNode node(1, {.hang = std::chrono::milliseconds(50)}, printed);
    node.start(0, 0,
               "trap 'touch told' TERM; bash -c 'trap \"\" TERM; echo $$ > grandchild; exec sleep 1000' & "
               "until [ -s grandchild ]; do sleep 0.01; done; echo epoch 1: 0.5; touch begun; "
               "while true; do sleep 0.01; done");
    await("it has begun", [&] { return std::filesystem::exists(node.folder / "begun"); });
    const long grandchild = number_in(node.folder / "grandchild");
    node.next<protocol::Report>();
    node.agent.obey(protocol::Decision{TrialId{0}, 1, Resource{1}});
    const auto poll_until = [&](const char* what, const auto& done) {
        await(what, [&] {
            node.agent.poll(std::chrono::milliseconds(5));
            return done();
        });
    };
    poll_until("it is ended, because it hangs", [&] { return std::filesystem::exists(node.folder / "told"); });

    node.agent.obey(LeaveTrial{TrialId{0}, false});

    poll_until("the grandchild ends", [&] { return !is_alive(grandchild); });
}

TEST_CASE("a program that hangs before its first report is ended") {
    ProgramNode node(1, {.hang = std::chrono::milliseconds(50)});

    node.start(0, 0, "exec sleep 1000");

    const auto failed = node.next<WorkerFailed>();
    CHECK(failed.kind == FailureKind::crash);
    CHECK(failed.message.starts_with("no progress for 0 s"));
}

TEST_CASE("other ranks than 0 do not count as hung, although their reports are ignored") {
    ProgramNode node(1, {.hang = std::chrono::milliseconds(50)});
    auto order =
        node.group(0, 1, R"(echo '{"resource":1,"metrics":{"loss":1}}' >&$CRESCENDO_FD; sleep 0.3; touch end)");
    order.members.front().rank = 1;

    node.agent.obey(order);
    std::vector<Notice> notices;
    await("it ends", [&] {
        for (auto& notice : node.agent.poll(std::chrono::milliseconds(5))) {
            notices.push_back(std::move(notice));
        }
        return std::filesystem::exists(node.folder / "end");
    });
    node.agent.obey(LeaveTrial{TrialId{0}, /*save=*/false});

    CHECK(notices.empty());
    CHECK(node.next<LeftTrial>().trial == TrialId{0});
}

TEST_CASE("a complete program that is slow to end does not get the advice to read decisions") {
    ProgramNode node(1);
    node.start(0, 0, R"(echo saving; echo '{"resource":9,"metrics":{"loss":0.25}}' >&$CRESCENDO_FD; exec sleep 1000)");
    node.next<protocol::Report>();

    node.agent.obey(LeaveTrial{TrialId{0}, false});

    CHECK(node.next<ProgramRemark>().message ==
          "it was complete but did not end within 0.2 s, so it is ended by SIGTERM; set CRESCENDO_SAVE_TIMEOUT to more "
          "seconds, or save before the last report; last words: saving");
    node.next<LeftTrial>();
}

TEST_CASE("a program that ends by SIGTERM or SIGINT has failed unless an order to leave follows soon") {
    std::string signal;
    std::string words;
    SUBCASE("SIGTERM") {
        signal = "TERM";
        words = "killed by signal 15";
    }
    SUBCASE("SIGINT") {
        signal = "INT";
        words = "killed by signal 2";
    }
    const auto script =
        report_once + ("echo $$ > pid; until [ -e told ]; do sleep 0.01; done; kill -" + signal) + " $$";
    ProgramNode quick(1);
    ProgramNode patient_node(1, {.doubt = std::chrono::minutes(10)});
    for (auto* node : {&quick, &patient_node}) {
        node->start(0, 0, script);
        node->next<protocol::Report>();
        node->agent.obey(protocol::Decision{TrialId{0}, 1, Resource{1}});
        std::ofstream(node->folder / "told").close();
    }
    CHECK(quick.next<WorkerFailed>().message.starts_with(words));

    const auto is_gone = [&] {
        const long program = number_in(patient_node.folder / "pid");
        for (auto& notice : patient_node.agent.poll(std::chrono::milliseconds(50))) {
            patient_node.kept.push_back(std::move(notice));
        }
        return program != 0 && !is_alive(program);
    };
    await("the program ends", is_gone);
    is_gone();  // its end is seen here at the latest
    CHECK(patient_node.kept.empty());
    patient_node.agent.obey(LeaveTrial{TrialId{0}, true});
    CHECK(patient_node.next<LeftTrial>().problem.empty());
}

TEST_CASE("processes that a program leaves behind are killed when it ends") {
    ProgramNode node(1);
    node.start(0, 0, std::string("setsid sleep 1000 & echo $! > grandchild; ") + report_once);
    node.next<protocol::Report>();
    node.agent.obey(protocol::Decision{TrialId{0}, 1, Resource{1}});
    node.next<ProgramEnded>();

    const long grandchild = number_in(node.folder / "grandchild");
    REQUIRE(grandchild != 0);
    await("the grandchild ends", [&] { return !is_alive(grandchild); });
}

TEST_CASE("a process that cleans up after a program has time to finish") {
    ProgramNode node(1);
    // Like Python's resource tracker, it ends when no process holds the other end of its pipe. It used to be killed
    // with the program, so shared memory filled up.
    node.start(0, 0,
               "mkfifo pipe; setsid bash -c ': resource_tracker; cat < pipe; sleep 0.2; touch cleaned; exit' & "
               "exec 9> pipe; sleep 1000 & " +
                   std::string(report_once));
    node.next<protocol::Report>();
    node.agent.obey(protocol::Decision{TrialId{0}, 1, Resource{1}});
    node.next<ProgramEnded>();

    CHECK(std::filesystem::exists(node.folder / "cleaned"));
}

TEST_CASE("failures say what happened and give the program's last words") {
    ProgramNode node(1);

    node.start(0, 0, "exit 7");
    CHECK(node.next<WorkerFailed>().message == "exit status 7; it printed nothing");
    node.start(1, 0, "echo out of luck >&2; kill -SEGV $$");
    const auto crash = node.next<WorkerFailed>();
    CHECK(crash.kind == FailureKind::crash);
    CHECK(crash.message.find("signal 11") != std::string::npos);
    CHECK(crash.message.find("out of luck") != std::string::npos);
    node.start(1, 0, "echo no hope >&2; exit 3");  // continues the same log
    CHECK(node.next<WorkerFailed>().message == "exit status 3; last words: no hope");
    node.start(2, 0, "true");
    CHECK(node.next<WorkerFailed>().message == "it ended without a report; it printed nothing");
    node.start(2, 0, "echo wandb: run saved");
    CHECK(node.next<WorkerFailed>().message == "it ended without a report; last words: wandb: run saved");
    node.start(3, 0, "echo loss=0.3 >&$CRESCENDO_FD; sleep 1000");
    CHECK(node.next<WorkerFailed>().message.find("not a JSON object: 'loss=0.3'") != std::string::npos);
    node.start(4, 0, R"(echo '{"metrics":{}}' >&$CRESCENDO_FD; sleep 1000)");
    CHECK(node.next<WorkerFailed>().message.find("resource") != std::string::npos);
    for (const char* first : {"hello", "progress"}) {  // signs of life come before 'hello' if imports take long
        node.start(5, 0, fmt::format(R"(echo '{{"type":"{}"}}' >&$CRESCENDO_FD; sleep 1000)", first));
        CHECK(node.next<WorkerFailed>().message.find("add `grow: in_place` to the sweep file") != std::string::npos);
    }
}

TEST_CASE("a guard that cannot start a process is no failure of the trial") {
    ProgramNode node(1);
    const auto guard = node.folder / "guard";
    std::ofstream(guard) << "#!/bin/bash\necho 'no process: 11' >&$CRESCENDO_FD; exit 1\n";
    std::filesystem::permissions(guard, std::filesystem::perms::owner_all);
    auto options = node.options(1, {}, {});
    options.guard = guard.string();
    Agent agent(NodeId{0}, std::move(options));
    agent.obey(node.group(0, 1, "true"));

    const auto run = [&] {
        while (agent.poll(std::chrono::seconds(1)).empty()) {}
    };

    CHECK_THROWS_WITH_AS(run(), doctest::Contains("cannot start a process, because `ulimit -u`"), std::system_error);
}

TEST_CASE("a program that neither reports nor ends gets a remark without the words of an earlier run") {
    const Times times{.patience = std::chrono::milliseconds(100)};
    const char* script = "until [ -e told ]; do sleep 0.01; done";
    ProgramNode silent(1, times);
    ProgramNode talkative(1, times, ReportSource{{"loss=(?P<loss>.+)"}, "", 1});
    for (auto* node : {&silent, &talkative}) {
        std::ofstream(node->folder / "trainer.log") << "an earlier run\n";
    }

    silent.start(0, 0, script);
    const auto silence = silent.next<ProgramRemark>().message;
    talkative.start(0, 0, script);
    const auto no_match = talkative.next<ProgramRemark>().message;

    CHECK_MESSAGE(silence.find(" s without a report; it printed nothing; `hang_timeout`") != std::string::npos,
                  silence);
    CHECK_MESSAGE(no_match.find(" s without a report; its output is empty, but should contain a match for "
                                "report.pattern; `hang_timeout`") != std::string::npos,
                  no_match);
    for (auto* node : {&silent, &talkative}) {
        std::ofstream(node->folder / "told").close();
        CHECK(node->next<WorkerFailed>().message.starts_with("it ended without a report"));
    }
}

TEST_CASE("a program that never reports or refuses its arguments is at fault, unless it has reported before") {
    ProgramNode node(1);

    node.start(0, 0, "true");
    const auto silent = node.next<WorkerFailed>();
    node.start(1, 0, "exit 2");
    const auto usage = node.next<WorkerFailed>();
    node.start(2, 0, std::string(report_once) + "exit 2");
    node.next<protocol::Report>();
    node.agent.obey(protocol::Decision{TrialId{2}, 1, Resource{1}});
    const auto later = node.next<WorkerFailed>();

    CHECK(silent.kind == FailureKind::repeated_error);
    CHECK(silent.fault == ProgramFault::never_reports);
    CHECK(usage.kind == FailureKind::repeated_error);
    CHECK(usage.fault == ProgramFault::usage_error);
    CHECK(later.kind == FailureKind::crash);
    CHECK(later.fault == ProgramFault::none);
    for (const char* end : {"true", "exit 2"}) {
        node.start(3, 0, end, /*reported=*/Resource{4});
        const auto resumed = node.next<WorkerFailed>();
        CHECK(resumed.kind != FailureKind::repeated_error);
        CHECK(resumed.fault == ProgramFault::none);
    }
}

TEST_CASE("the reports of a program that only prints are found in its output, up to the last line") {
    ProgramNode node(1, patient, printed);

    node.start(4, 0, "echo epoch 1: 0.5; echo epoch 2: 0.25 >&2; printf 'epoch 3: 0.125'");

    for (const int epoch : {1, 2, 3}) {
        const auto report = node.next<protocol::Report>();
        CHECK(report.trial == TrialId{4});
        CHECK(report.resource == Resource{epoch});
        CHECK(report.metrics.at("loss") == std::ldexp(1.0, -epoch));
        node.agent.obey(protocol::Decision{TrialId{4}, 1, Resource{1}});
    }
    CHECK(node.next<ProgramEnded>().trial == TrialId{4});
}

TEST_CASE("a program that cannot be told to stop is ended at once unless its trial is complete") {
    ProgramNode node(1, patient, printed);
    node.start(0, 0, "echo epoch 1: 0.5; exec sleep 1000");
    node.next<protocol::Report>();
    node.agent.obey(LeaveTrial{TrialId{0}, false});
    CHECK(node.next<LeftTrial>().trial == TrialId{0});  // otherwise this would take the minute of grace

    node.start(1, 0, "trap 'touch early' TERM; echo epoch 9: 0.5; until [ -e told ]; do sleep 0.01; done; touch saved");
    node.next<protocol::Report>();
    node.agent.obey(LeaveTrial{TrialId{1}, false});
    std::ofstream(node.folder / "told").close();

    CHECK(node.next<LeftTrial>().trial == TrialId{1});
    CHECK(std::filesystem::exists(node.folder / "saved"));
    CHECK_FALSE(std::filesystem::exists(node.folder / "early"));
}

TEST_CASE("a program that has reported the end of its trial gets time to save unless it keeps reporting") {
    for (const bool is_told : {true, false}) {
        CAPTURE(is_told);
        ProgramNode node(1, {.save = std::chrono::minutes(1)}, is_told ? std::nullopt : std::optional(printed));
        const std::string say =
            is_told ? R"(say() { echo "{\"resource\":$1,\"metrics\":{\"loss\":1}}" >&$CRESCENDO_FD; }; )"
                    : "say() { echo epoch $1: 1; }; ";
        node.start(0, 0, say + "say 9; sleep 0.5; touch saved");  // longer than `grace`
        node.next<protocol::Report>();
        node.agent.obey(LeaveTrial{TrialId{0}, false});
        node.next<LeftTrial>();
        CHECK(std::filesystem::exists(node.folder / "saved"));

        node.start(1, 0, say + "say 9; until [ -e left ]; do sleep 0.01; done; say 10; exec sleep 1000");
        node.next<protocol::Report>();
        node.agent.obey(LeaveTrial{TrialId{1}, false});
        std::ofstream(node.folder / "left").close();
        if (is_told) {
            CHECK(node.next<ProgramRemark>().message.starts_with("it was asked to stop but did not end"));
        }
        CHECK(node.next<LeftTrial>().trial == TrialId{1});  // before the minute is over
    }
}

TEST_CASE("all ranks of a complete trial get time to save") {
    ProgramNode node(2, {.save = std::chrono::minutes(1)});
    node.start_group(0, 2,
                     R"([ $RANK = 1 ] || echo '{"resource":9,"metrics":{"loss":1}}' >&$CRESCENDO_FD
                        read -r stop <&$CRESCENDO_FD; sleep 0.5; touch saved.$RANK)");  // longer than `grace`
    node.next<protocol::Report>();

    node.agent.obey(LeaveTrial{TrialId{0}, /*save=*/false, /*is_complete=*/true});

    node.next<LeftTrial>();
    node.next<LeftTrial>();
    CHECK(std::filesystem::exists(node.folder / "saved.0"));
    CHECK(std::filesystem::exists(node.folder / "saved.1"));
}

TEST_CASE("a program is told whether to save, and all its ranks get time for it only then") {
    for (const bool save : {true, false}) {
        CAPTURE(save);
        ProgramNode node(2, {.save = std::chrono::minutes(10)});
        node.start_group(0, 2,
                         std::string(R"([ $RANK = 1 ] || echo '{"resource":1,"metrics":{"loss":1}}' >&$CRESCENDO_FD
                                        read -r stop <&$CRESCENDO_FD; echo "$stop" > heard.$RANK; )") +
                             (save ? "sleep 0.5; touch saved.$RANK" : "exec sleep 1000"));  // longer than `grace`
        node.next<protocol::Report>();

        node.agent.obey(LeaveTrial{TrialId{0}, save});

        node.next<LeftTrial>();
        node.next<LeftTrial>();
        for (const char* rank : {"0", "1"}) {
            std::string heard;
            std::getline(std::ifstream(node.folder / (std::string("heard.") + rank)), heard);
            CHECK(heard == (save ? R"({"decision":"stop","save":true})" : R"({"decision":"stop"})"));
            CHECK(std::filesystem::exists(node.folder / (std::string("saved.") + rank)) == save);
        }
    }
}

TEST_CASE("a program that fails after it has reported the end of its trial gets a remark, and its trial counts") {
    for (const char* status : {"0", "3"}) {
        ProgramNode node(1, patient, printed);
        node.start(0, 0,
                   std::string("echo epoch 9: 0.5; until [ -e told ]; do sleep 0.01; done; "
                               "echo no test set >&2; exit ") +
                       status);
        node.next<protocol::Report>();
        node.agent.obey(LeaveTrial{TrialId{0}, false});
        std::ofstream(node.folder / "told").close();
        const auto remarks = remarks_until_end(node);

        REQUIRE(remarks.size() == (status == std::string("3") ? 1 : 0));
        CHECK((remarks.empty() || remarks.front().ends_with("no test set")));
    }
}

TEST_CASE("output that never matches causes a remark after many lines and explains the failure at the end") {
    ProgramNode node(1, patient, printed);
    node.start(0, 0, "for i in {1..1000}; do echo step $i; done; until [ -e told ]; do sleep 0.01; done; echo bye");

    const auto remark = node.next<ProgramRemark>();
    std::ofstream(node.folder / "told").close();
    const auto failed = node.next<WorkerFailed>();

    CHECK_MESSAGE(remark.message.starts_with("none of the 1000 lines of its output has a match for report.pattern; the "
                                             "last ones: "),
                  remark.message);
    CHECK(remark.message.ends_with("step 1000"));
    CHECK(failed.message.starts_with("it ended without a report: none of the 1001 lines"));
    CHECK(failed.message.ends_with("step 1000\nbye"));
    CHECK(failed.fault == ProgramFault::never_reports);
}

TEST_CASE("a program whose reports all arrive at its end, too late to stop it, gets the advice to flush its output") {
    for (const bool prints_all_at_once : {true, false}) {
        CAPTURE(prints_all_at_once);
        ProgramNode node(1, {.patience = std::chrono::milliseconds(100)}, printed);
        const std::string first = "epoch 1: 0.5\\n";
        node.start(0, 0,
                   fmt::format("echo $PPID >guard; printf '{}'; until [ -e told ]; do sleep 0.01; done; printf "
                               "'{}epoch 2: 0.3\\nepoch 3: 0.2\\n'",
                               prints_all_at_once ? "" : first, prints_all_at_once ? first : ""));
        std::string remark;
        if (prints_all_at_once) {
            CHECK(node.next<ProgramRemark>().message.find("it has run for") != std::string::npos);
        } else {
            node.next<protocol::Report>();
        }
        std::ofstream(node.folder / "told").close();
        std::string guard;
        std::getline(std::ifstream(node.folder / "guard"), guard);
        await("the end of the process, at which nobody looks meanwhile", [&] {
            std::string state;
            std::getline(std::ifstream("/proc/" + guard + "/stat"), state);
            return state.find(") Z ") != std::string::npos;
        });
        bool has_ended = false;
        await("the program's end", [&] {
            for (const auto& notice : node.agent.poll(std::chrono::milliseconds(50))) {
                const auto* said = std::get_if<ProgramRemark>(&notice);
                remark = said != nullptr ? said->message : remark;
                has_ended = has_ended || std::holds_alternative<ProgramEnded>(notice);
            }
            return has_ended;
        });

        CHECK(remark == (prints_all_at_once
                             ? "all of its reports arrived when it ended, so it could not be stopped early; let it "
                               "flush its output after each epoch, or start the command with stdbuf, -oL"
                             : ""));
    }
}

TEST_CASE("a program that reports a resource again with other numbers gets a remark that they do not count") {
    const auto back = remarks_on("say 1 0.5; say 2 0.25; say 1 0.7");
    const auto steps = remarks_on("echo epoch 1: 3; echo epoch 1: 2", printed);

    REQUIRE(back.size() == 1);
    CHECK(back[0] ==
          "it reported the same resource again, or an earlier one, and such reports do not count; after 2 came 1: "
          "report once after each epoch, and count up");
    REQUIRE(steps.size() == 1);
    CHECK(steps[0].ends_with("after 1 came 1: let report.pattern match one line per epoch"));
    CHECK(remarks_on("say 1 0.5; say 1 0.5; say 2 0.5").empty());
}

TEST_CASE("a report without a line feed causes a remark, and counts if it is the program's last output") {
    ProgramNode waits(1, {.patience = std::chrono::milliseconds(100)});
    ProgramNode ends(1);
    const std::string torn = R"(printf '{"resource":1,"metrics":{"loss":0.5}}' >&$CRESCENDO_FD; )";

    waits.start(0, 0, torn + "until [ -e told ]; do sleep 0.01; done");
    auto remark = waits.next<ProgramRemark>().message;
    if (!remark.starts_with("it wrote")) {  // the first remark may say that it has not reported yet
        remark = waits.next<ProgramRemark>().message;
    }
    std::ofstream(waits.folder / "told").close();
    ends.start(0, 0, torn);

    CHECK(remark ==
          "it wrote to CRESCENDO_FD without a line feed; each report is a line, and counts once the line is complete: "
          R"('{"resource":1,"metrics":{"loss":0.5}}')");
    CHECK(waits.next<protocol::Report>().resource == Resource{1});
    CHECK(ends.next<protocol::Report>().metrics.at("loss") == 0.5);
}

TEST_CASE("a program that starts over instead of continuing from a checkpoint gets a remark") {
    const auto again = remarks_on("say 1 0.5; say 2 0.25; say 3 0.2; say 4 0.1", {}, Resource{3});

    REQUIRE(again.size() == 1);
    CHECK(again[0] ==
          "it was restarted, and did not continue from a checkpoint; it reported 1 after it had reported 3 before, and "
          "repeats that training (docs/trial-protocol.md, Checkpoints)");
    CHECK(remarks_on("say 3 0.2; say 4 0.1", {}, Resource{3}).empty());
}

TEST_CASE("reports in a file of the program's folder are read, including those of an earlier run") {
    ProgramNode node(1, patient, ReportSource{{}, "reports.jsonl", 1});
    const std::string write = R"(say() { echo "{\"resource\":$1,\"metrics\":{\"loss\":$2}}" >> reports.jsonl; }; )";
    node.start(0, 0, write + "say 1 0.5; say 2 0.25");
    CHECK(node.next<protocol::Report>().resource == Resource{1});
    CHECK(node.next<protocol::Report>().resource == Resource{2});
    node.next<ProgramEnded>();

    node.start(0, 0, write + "say 3 0.25; echo nonsense >> reports.jsonl; sleep 1000");

    for (const int resource : {1, 2, 3}) {
        CHECK(node.next<protocol::Report>().resource == Resource{resource});
    }
    CHECK(node.next<WorkerFailed>().message.find("not a JSON object: 'nonsense'") != std::string::npos);
}

TEST_CASE("a restarted program has to report, even if its file has the reports of an earlier run") {
    ProgramNode node(1, patient, ReportSource{{}, "reports.jsonl", 1});
    std::ofstream(node.folder / "reports.jsonl") << R"({"resource":1,"metrics":{"loss":0.5}})"
                                                 << "\n";

    for (const auto& reported : {Resource{1}, Resource{}}) {  // read before, or not
        node.start(0, 0, "true", reported);
        CHECK(node.next<protocol::Report>().resource == Resource{1});
        const auto failed = node.next<WorkerFailed>();
        CHECK(failed.message ==
              "it was resumed and ended without a report in reports.jsonl; a resumed program must send its last report "
              "again, to the same file; give a logger that numbers its folders a fixed one");
        CHECK(failed.kind == FailureKind::error);
        CHECK(failed.fault == ProgramFault::none);
    }
    node.start(0, 0, "cp reports.jsonl all; sleep 0.01; cat all > reports.jsonl", Resource{1});
    CHECK(node.next<ProgramEnded>().trial == TrialId{0});
}

TEST_CASE("a program that is killed while it writes a report to its file has crashed, and its next attempt continues") {
    ProgramNode node(1, patient, ReportSource{{}, "reports.jsonl", 1});
    const std::string say = R"(echo '{"resource":1,"metrics":{"loss":0.5}}' >> reports.jsonl; )";

    node.start(0, 0, say + R"(printf '{"resource":2,"metr' >> reports.jsonl; kill -KILL $$)");
    const auto killed = node.next<WorkerFailed>();
    node.start(0, 0, say, Resource{1});

    CHECK_MESSAGE(killed.message.starts_with("killed by signal 9"), killed.message);
    CHECK(killed.kind == FailureKind::crash);
    CHECK(node.next<ProgramEnded>().trial == TrialId{0});
}
