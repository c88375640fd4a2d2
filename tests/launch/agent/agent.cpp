#include "launch/agent/agent.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "launch/system/child_process.hpp"
#include "tests/await.hpp"
#include "tests/launch/energy/fake_powercap.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

namespace {

/// How long a program is waited for.
struct Times {
    std::chrono::milliseconds grace{200};
    std::chrono::milliseconds save{200};
    std::chrono::milliseconds patience = WorkerOptions().patience;
    std::chrono::milliseconds doubt{0};
};

/// One node of program workers, each running a line of shell.
struct ProgramNode {
    explicit ProgramNode(int num_slots, const Times& times = {}, const std::optional<ReportSource>& report = {})
        : agent(NodeId{0}, options(num_slots, times, report)) {}

    WorkerOptions options(int num_slots, const Times& times, const std::optional<ReportSource>& report) {
        WorkerOptions result;
        result.patience = times.patience;
        result.setup.supervision.report = report;
        result.slots.resize(static_cast<std::size_t>(num_slots));
        result.setup.directory = folder.path().string();
        result.setup.save_timeout = times.save;
        result.guard = CRESCENDO_GUARD;
        result.grace = times.grace;
        result.doubt = times.doubt;
        result.ports = std::vector<TcpPort>(static_cast<std::size_t>(num_slots));
        for (const auto& port : result.ports) {
            result.places.push_back({"here", "127.0.0.1", port.number()});
        }
        first_port = result.ports.front().number();
        return result;
    }

    void start(int trial, int slot, const std::string& script, Resource reported = {}) {
        JoinGroup order;
        order.join.trial = TrialId{trial};
        order.join.seed = 11;
        order.join.max_resource = Resource{9};
        order.join.directory = (slot == 0 ? folder.path() : folder / std::to_string(slot)).string();
        std::filesystem::create_directory(order.join.directory);
        order.command = {"bash", "-c", script};
        order.members = {{SlotId{slot}, 0}};
        order.join.reported = reported;
        agent.obey(order);
    }

    void start_group(int trial, int size, const std::string& script) { agent.obey(group(trial, size, script)); }

    /// A group on the first `size` slots.
    JoinGroup group(int trial, int size, const std::string& script) const {
        JoinGroup order;
        order.join.trial = TrialId{trial};
        order.join.size = size;
        order.join.max_resource = Resource{9};
        order.join.directory = folder.path().string();
        order.command = {"bash", "-c", script};
        for (int rank = 0; rank < size; ++rank) {
            order.members.push_back({SlotId{rank}, rank});
            order.slots.push_back(SlotId{rank});
        }
        return order;
    }

    /// The next notice of that kind; others on the way are dropped.
    template <class Kind>
    Kind next() {
        Kind result;
        await(std::string("a notice like ") + typeid(Kind).name(), [&] {
            for (auto& notice : agent.poll(std::chrono::milliseconds(50))) {
                kept.push_back(std::move(notice));
            }
            while (!kept.empty()) {
                const Notice notice = kept.front();
                kept.erase(kept.begin());
                if (const auto* found = std::get_if<Kind>(&notice)) {
                    result = *found;
                    return true;
                }
            }
            return false;
        });
        return result;
    }

    TemporaryFolder folder;
    std::vector<Notice> kept;
    int first_port = 0;  ///< that of slot 0
    Agent agent;
};

constexpr const char* report_once =
    R"(echo '{"resource":1,"metrics":{"loss":0.25}}' >&$CRESCENDO_FD; read -r reply <&$CRESCENDO_FD;)";

}  // namespace

TEST_CASE("a program reports, is told to go on, and ends") {
    ProgramNode node(1);

    node.start(4, 0,
               std::string(report_once) +
                   R"(echo "$reply $CRESCENDO_TRIAL $CRESCENDO_SEED $CRESCENDO_MAX_RESOURCE $WORLD_SIZE" > heard)");
    const auto report = node.next<protocol::Report>();
    node.agent.obey(protocol::Decision{TrialId{4}, 1, Resource{1}});
    const auto ended = node.next<ProgramEnded>();
    node.agent.obey(protocol::Leave{TrialId{5}, /*save=*/false});  // for another worker of the node
    node.agent.obey(protocol::Leave{TrialId{4}, /*save=*/false});  // sent before the news arrived

    CHECK(node.next<LeftTrial>().trial == TrialId{4});
    CHECK(report.trial == TrialId{4});
    CHECK(report.resource == Resource{1});
    CHECK(report.metrics.at("loss") == 0.25);
    CHECK(ended.trial == TrialId{4});
    std::string heard;
    std::getline(std::ifstream(node.folder / "heard") >> std::ws, heard);
    CHECK(heard == R"({"decision":"continue"} 4 11 9 1)");
}

TEST_CASE("a program that is told to stop and goes has left") {
    ProgramNode node(1);
    node.start(0, 0, report_once);
    node.next<protocol::Report>();

    node.agent.obey(protocol::Leave{TrialId{0}, false});

    CHECK(node.next<LeftTrial>().slot == SlotId{0});
}

TEST_CASE("what the node used is told as its last trial leaves") {
    const TemporaryFolder meters;
    write_zone(meters / "intel-rapl:0", "package-0", 1'000'000);
    ::setenv("CRESCENDO_POWERCAP", meters.path().c_str(), 1);
    ProgramNode node(1);
    ::unsetenv("CRESCENDO_POWERCAP");
    node.start(0, 0, report_once);
    node.next<protocol::Report>();
    write_zone(meters / "intel-rapl:0", "package-0", 3'500'000);

    node.agent.obey(protocol::Leave{TrialId{0}, false});

    CHECK(node.next<EnergyUsed>().cpus == 2.5);
}

TEST_CASE("a program that ignores stop and SIGTERM is killed, and so is what it started in another session") {
    ProgramNode node(1);
    node.start(0, 0,
               std::string("trap '' TERM; setsid bash -c 'trap \"\" TERM; echo $$ > grandchild; exec sleep 1000' & ") +
                   report_once + "sleep 1000; sleep 1000");
    node.next<protocol::Report>();
    long grandchild = 0;
    await("the grandchild starts", [&] { return (grandchild = number_in(node.folder / "grandchild")) != 0; });

    node.agent.obey(protocol::Leave{TrialId{0}, false});
    CHECK(node.next<ProgramRemark>().message.starts_with("it was told to stop and did not leave"));
    node.next<LeftTrial>();

    await("the grandchild ends", [&] { return !is_alive(grandchild); });
}

TEST_CASE("a program that trained to its end is not told to read decisions when it takes long to leave") {
    ProgramNode node(1);
    node.start(0, 0, R"(echo '{"resource":9,"metrics":{"loss":0.25}}' >&$CRESCENDO_FD; echo saving; exec sleep 1000)");
    node.next<protocol::Report>();

    node.agent.obey(protocol::Leave{TrialId{0}, false});

    CHECK(node.next<ProgramRemark>().message ==
          "it was complete and did not end within 0.2 s, so it is ended by SIGTERM; set CRESCENDO_SAVE_TIMEOUT to more "
          "seconds, or save before the last report; last words: saving");
    node.next<LeftTrial>();
}

TEST_CASE("a program that ends by SIGTERM has failed, unless it is told to leave soon after") {
    const std::string script =
        std::string(report_once) + "echo $$ > pid; until [ -e told ]; do sleep 0.01; done; kill $$";
    ProgramNode quick(1);
    ProgramNode patient_node(1, {.doubt = std::chrono::minutes(10)});
    for (auto* node : {&quick, &patient_node}) {
        node->start(0, 0, script);
        node->next<protocol::Report>();
        node->agent.obey(protocol::Decision{TrialId{0}, 1, Resource{1}});
        std::ofstream(node->folder / "told").close();
    }
    CHECK(quick.next<WorkerFailed>().message.starts_with("killed by signal 15"));

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
    patient_node.agent.obey(protocol::Leave{TrialId{0}, true});
    CHECK(patient_node.next<LeftTrial>().problem.empty());
}

TEST_CASE("what a program leaves behind when it ends is killed") {
    ProgramNode node(1);
    node.start(0, 0, std::string("setsid sleep 1000 & echo $! > grandchild; ") + report_once);
    node.next<protocol::Report>();
    node.agent.obey(protocol::Decision{TrialId{0}, 1, Resource{1}});
    node.next<ProgramEnded>();

    const long grandchild = number_in(node.folder / "grandchild");
    REQUIRE(grandchild != 0);
    await("the grandchild ends", [&] { return !is_alive(grandchild); });
}

TEST_CASE("when the agent goes, so do its programs and what they started in other sessions") {
    long grandchild = 0;
    {
        ProgramNode node(2);
        node.start(0, 0,
                   std::string("trap '' TERM; setsid sleep 1000 & echo $! > grandchild; ") + report_once +
                       "sleep 1000; sleep 1000");
        node.next<protocol::Report>();
        grandchild = number_in(node.folder / "grandchild");
        REQUIRE(is_alive(grandchild));
    }

    CHECK_FALSE(is_alive(grandchild));
}

TEST_CASE("the next trial of a slot starts when the last one's program is gone") {
    ProgramNode node(1, {.grace = std::chrono::seconds(60)});  // the program leaves by itself
    node.start(0, 0, std::string(report_once) + "sleep 0.1; touch gone");
    node.next<protocol::Report>();

    node.agent.obey(protocol::Leave{TrialId{0}, false});
    node.start(1, 0, std::string("[ -e gone ] && ") + report_once);

    CHECK(node.next<protocol::Report>().trial == TrialId{1});
}

TEST_CASE("a program starts once what a session that died has left of its trial has ended") {
    TemporaryFolder other;
    ProgramNode node(1, {.grace = std::chrono::seconds(60)});
    const auto log = (node.folder / "trainer.log").string();
    ProcessOptions former;
    former.command = {"bash", "-c", "while [ ! -e " + (other / "end").string() + " ]; do sleep 0.01; done"};
    former.log = log;
    former.holds_log = true;
    ChildProcess process(former);
    CHECK(is_held(log));

    node.start(0, 0, std::string("[ -e ") + (other / "end").string() + " ] && " + report_once + "sleep 1000");
    std::vector<Notice> notices;
    for (int i = 0; i < 5; ++i) {
        for (auto& notice : node.agent.poll(std::chrono::milliseconds(50))) {
            notices.push_back(std::move(notice));
        }
    }
    CHECK(notices.empty());
    std::ofstream(other / "end").close();

    CHECK(node.next<protocol::Report>().resource == Resource{1});
    CHECK(is_held(log));  // by this program now
}

TEST_CASE("a trial that is taken back before its program started has left at once") {
    ProgramNode node(1);
    node.start(0, 0, std::string(report_once) + "sleep 1000");
    node.next<protocol::Report>();
    node.agent.obey(protocol::Leave{TrialId{0}, false});
    node.start(1, 0, "true");

    node.agent.obey(protocol::Leave{TrialId{1}, false});

    CHECK(node.next<LeftTrial>().trial == TrialId{1});
    CHECK(node.next<LeftTrial>().trial == TrialId{0});
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
    node.start(1, 0, "echo no hope >&2; exit 3");  // in the same log, again
    CHECK(node.next<WorkerFailed>().message == "exit status 3; last words: no hope");
    node.start(2, 0, "true");
    CHECK(node.next<WorkerFailed>().message.starts_with("it ended without a report"));
    node.start(3, 0, "echo loss=0.3 >&$CRESCENDO_FD; sleep 1000");
    CHECK(node.next<WorkerFailed>().message.find("not a JSON object: 'loss=0.3'") != std::string::npos);
    node.start(4, 0, R"(echo '{"metrics":{}}' >&$CRESCENDO_FD; sleep 1000)");
    CHECK(node.next<WorkerFailed>().message.find("resource") != std::string::npos);
}

TEST_CASE("a program that neither reports nor ends is remarked on, and not with an earlier one's words") {
    const Times times{.patience = std::chrono::milliseconds(100)};
    const char* script = "until [ -e told ]; do sleep 0.01; done";
    ProgramNode silent(1, times);
    ProgramNode talkative(1, times, ReportSource{{"loss=(?P<loss>.+)"}, "", 1, "loss"});
    for (auto* node : {&silent, &talkative}) {
        std::ofstream(node->folder / "trainer.log") << "an earlier run\n";
    }

    silent.start(0, 0, script);
    const auto silence = silent.next<ProgramRemark>().message;
    talkative.start(0, 0, script);
    const auto no_match = talkative.next<ProgramRemark>().message;

    CHECK_MESSAGE(silence.find("not reported yet; it printed nothing; `hang_timeout`") != std::string::npos, silence);
    CHECK_MESSAGE(no_match.find("not reported yet; nothing is in its output yet, where a match of report.pattern is "
                                "looked for; `hang_timeout`") != std::string::npos,
                  no_match);
    for (auto* node : {&silent, &talkative}) {
        std::ofstream(node->folder / "told").close();
        CHECK(node->next<WorkerFailed>().message.starts_with("it ended without a report"));
    }
}

TEST_CASE("a program that never reports or refuses its arguments is at fault itself, and one that reported is not") {
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

TEST_CASE("slots work side by side") {
    ProgramNode node(3);

    for (int i = 0; i < 3; ++i) {
        node.start(i, i, report_once);
    }
    int sum = 0;
    for (int i = 0; i < 3; ++i) {
        sum += node.next<protocol::Report>().trial.value;
    }

    CHECK(sum == 0 + 1 + 2);
}

TEST_CASE("who was in a trial's group and is not in its next one leaves") {
    ProgramNode node(2);
    const std::string script = std::string(report_once) + "[[ $reply == *stop* ]]";
    node.start(4, 0, script);
    node.next<protocol::Report>();

    node.start(4, 1, script);

    CHECK(node.next<LeftTrial>().slot == SlotId{0});
}

namespace {

const ReportSource printed{{R"(epoch (?P<resource>\d+): (?P<loss>.*))"}, "", 1, "loss"};

const Times patient{.grace = std::chrono::minutes(1), .save = std::chrono::minutes(1)};

/// What is remarked on a program until it ends. It reports by `say RESOURCE LOSS`.
std::vector<std::string> remarks_on(const std::string& script, const std::optional<ReportSource>& source = {},
                                    Resource reported = {}) {
    ProgramNode node(1, patient, source);
    node.start(0, 0, R"(say() { echo "{\"resource\":$1,\"metrics\":{\"loss\":$2}}" >&$CRESCENDO_FD; }; )" + script,
               reported);
    std::vector<std::string> said;
    await("the program ends", [&] {
        bool has_ended = false;
        for (const auto& notice : node.agent.poll(std::chrono::milliseconds(50))) {
            if (const auto* remark = std::get_if<ProgramRemark>(&notice)) {
                said.push_back(remark->message);
            }
            has_ended = has_ended || std::holds_alternative<ProgramEnded>(notice);
        }
        return has_ended;
    });
    return said;
}

}  // namespace

TEST_CASE("the reports of a program that only prints are found in its output, to its last line") {
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

TEST_CASE("a program that cannot be told to stop is ended at once, unless it is at its end") {
    ProgramNode node(1, patient, printed);
    node.start(0, 0, "echo epoch 1: 0.5; exec sleep 1000");
    node.next<protocol::Report>();
    node.agent.obey(protocol::Leave{TrialId{0}, false});
    CHECK(node.next<LeftTrial>().trial == TrialId{0});  // else it would take the minute

    node.start(1, 0, "trap 'touch early' TERM; echo epoch 9: 0.5; until [ -e told ]; do sleep 0.01; done; touch saved");
    node.next<protocol::Report>();
    node.agent.obey(protocol::Leave{TrialId{1}, false});
    std::ofstream(node.folder / "told").close();

    CHECK(node.next<LeftTrial>().trial == TrialId{1});
    CHECK(std::filesystem::exists(node.folder / "saved"));
    CHECK_FALSE(std::filesystem::exists(node.folder / "early"));
}

TEST_CASE("a program that has reported its trial's end is given time to save, unless it reports on") {
    for (const bool is_told : {true, false}) {
        CAPTURE(is_told);
        ProgramNode node(1, {.save = std::chrono::minutes(1)}, is_told ? std::nullopt : std::optional(printed));
        const std::string say =
            is_told ? R"(say() { echo "{\"resource\":$1,\"metrics\":{\"loss\":1}}" >&$CRESCENDO_FD; }; )"
                    : "say() { echo epoch $1: 1; }; ";
        node.start(0, 0, say + "say 9; sleep 0.5; touch saved");  // longer than `grace`
        node.next<protocol::Report>();
        node.agent.obey(protocol::Leave{TrialId{0}, false});
        node.next<LeftTrial>();
        CHECK(std::filesystem::exists(node.folder / "saved"));

        node.start(1, 0, say + "say 9; until [ -e left ]; do sleep 0.01; done; say 10; exec sleep 1000");
        node.next<protocol::Report>();
        node.agent.obey(protocol::Leave{TrialId{1}, false});
        std::ofstream(node.folder / "left").close();
        if (is_told) {
            CHECK(node.next<ProgramRemark>().message.starts_with("it was told to stop and did not leave"));
        }
        CHECK(node.next<LeftTrial>().trial == TrialId{1});  // and not after a minute
    }
}

TEST_CASE("a program whose output never matches is told of after many lines, and when it ends") {
    ProgramNode node(1, patient, printed);
    node.start(0, 0, "for i in {1..1000}; do echo step $i; done; until [ -e told ]; do sleep 0.01; done; echo bye");

    const auto remark = node.next<ProgramRemark>();
    std::ofstream(node.folder / "told").close();
    const auto failed = node.next<WorkerFailed>();

    CHECK_MESSAGE(remark.message.starts_with("none of the 1000 lines of its output has a match of report.pattern; the "
                                             "last ones: "),
                  remark.message);
    CHECK(remark.message.ends_with("step 1000"));
    CHECK(failed.message.starts_with("it ended without a report: none of the 1001 lines"));
    CHECK(failed.message.ends_with("step 1000\nbye"));
    CHECK(failed.fault == ProgramFault::never_reports);
}

TEST_CASE("a program that reports a resource again, with other numbers, is told that they do not count") {
    const auto back = remarks_on("say 1 0.5; say 2 0.25; say 1 0.7");
    const auto steps = remarks_on("echo epoch 1: 3; echo epoch 1: 2", printed);

    REQUIRE(back.size() == 1);
    CHECK(back[0] == "it reported a resource again, or an earlier one, and such reports do not count; after 2 came 1: "
                     "report once after each epoch, and count up");
    REQUIRE(steps.size() == 1);
    CHECK(steps[0].ends_with("after 1 came 1: let report.pattern match one line of each epoch"));
    CHECK(remarks_on("say 1 0.5; say 1 0.5; say 2 0.5").empty());
}

TEST_CASE("a program that begins again, instead of continuing from a checkpoint, is told of") {
    const auto again = remarks_on("say 1 0.5; say 2 0.25; say 3 0.2; say 4 0.1", {}, Resource{3});

    REQUIRE(again.size() == 1);
    CHECK(again[0] == "it was started again, and did not continue from a checkpoint; it reported 1 where 3 was reported "
                      "before, and trains all of that once more (docs/trial-protocol.md, Checkpoints)");
    CHECK(remarks_on("say 3 0.2; say 4 0.1", {}, Resource{3}).empty());
}

TEST_CASE("a program may write its reports to a file of its folder, and what an earlier run wrote is made good") {
    ProgramNode node(1, patient, ReportSource{{}, "reports.jsonl", 1, "loss"});
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

TEST_CASE("a program that cannot be started with so long a command costs its trial alone") {
    ProgramNode node(1);

    node.start(0, 0, std::string(140'000, ' '));
    const auto failed = node.next<WorkerFailed>();
    node.start(1, 0, report_once);

    CHECK(failed.trial == TrialId{0});
    CHECK(failed.kind == FailureKind::repeated_error);
    CHECK_MESSAGE(failed.message.find("128 KiB for one argument") != std::string::npos, failed.message);
    CHECK(node.next<protocol::Report>().trial == TrialId{1});
}

TEST_CASE("a group's hosts have a line each, also where another host's ranks lie between") {
    ProgramNode node(1);
    auto options = node.options(3, patient, {});
    options.places[1].host = "there";
    Agent agent(NodeId{0}, std::move(options));

    agent.obey(node.group(4, 3, "until [ -e told ]; do sleep 0.01; done"));

    std::string hosts;
    await("the file of hosts", [&] {
        agent.poll(std::chrono::milliseconds(10));
        std::getline(std::ifstream(node.folder / "hosts"), hosts, '\0');
        return !hosts.empty();
    });
    CHECK(hosts == "here slots=2\nthere slots=1\n");
    std::ofstream(node.folder / "told").close();
}

TEST_CASE("a group has a process a slot, which know each other as torchrun's do; rank 0 speaks for all") {
    ProgramNode node(2);
    node.start_group(4, 2,
                     "echo \"$RANK $WORLD_SIZE $LOCAL_RANK $LOCAL_WORLD_SIZE $MASTER_ADDR $MASTER_PORT\" > rank$RANK; "
                     "until [ -e rank1 ]; do sleep 0.01; done; " +
                         std::string(report_once) + "echo $reply > heard$RANK; read -r reply <&$CRESCENDO_FD; "
                                                    "echo $reply > last$RANK");

    node.next<protocol::Report>();
    node.agent.obey(protocol::Decision{TrialId{4}, 1, Resource{1}});
    const auto heard = [&](const std::string& file) {
        std::string line;
        await(file, [&] { return bool(std::getline(std::ifstream(node.folder / file), line)); });
        return line;
    };
    for (const std::string rank : {"0", "1"}) {
        CHECK(heard("heard" + rank) == R"({"decision":"continue"})");
        CHECK(heard("rank" + rank) ==
              rank + " 2 " + rank + " 2 127.0.0.1 " + std::to_string(node.first_port));
    }
    CHECK(heard("hosts") == "here slots=2");
    node.agent.obey(protocol::Leave{TrialId{4}, true});

    CHECK(node.next<LeftTrial>().trial == TrialId{4});
    CHECK(node.next<LeftTrial>().trial == TrialId{4});
    for (const std::string rank : {"0", "1"}) {
        CHECK(heard("last" + rank) == R"({"decision":"stop","save":true})");
    }
}

TEST_CASE("a member that has ended well before its group leaves with it, and one that fails is a failure") {
    ProgramNode node(2);
    node.start_group(0, 2, "[ $RANK = 1 ] && exit 0; " + std::string(report_once) + "sleep 1000");
    node.next<protocol::Report>();
    node.agent.obey(protocol::Leave{TrialId{0}, false});
    CHECK(node.next<LeftTrial>().slot != node.next<LeftTrial>().slot);

    node.start_group(1, 2, "[ $RANK = 1 ] && exit 3; " + std::string(report_once) + "sleep 1000");
    CHECK(node.next<WorkerFailed>().slot == SlotId{1});
}

TEST_CASE("slots that share GPUs name them, and others name none") {
    const auto shared = slots_of_node(NodeId{2}, SlotId{8}, /*count=*/3, /*num_shared_gpus=*/2);
    const auto alone = slots_of_node(NodeId{2}, SlotId{8}, 3, 0);

    CHECK(shared[2].id == SlotId{10});
    CHECK(shared[2].node == NodeId{2});
    CHECK(shared[1].gpu == 1);
    CHECK(shared[2].gpu == 0);
    CHECK_FALSE(alone[2].gpu.has_value());
}
