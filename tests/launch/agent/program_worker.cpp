#include "launch/agent/program_worker.hpp"

#include <doctest/doctest.h>
#include <chrono>
#include <fstream>
#include <thread>

#include "launch/process/child_process.hpp"
#include "tests/launch/agent/program_node.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("the next trial of a slot starts when the program of the previous one has ended") {
    ProgramNode node(1, {.grace = std::chrono::seconds(60)});  // the program leaves by itself
    node.start(0, 0, std::string(report_once) + "sleep 0.1; touch gone");
    node.next<protocol::Report>();

    node.agent.obey(LeaveTrial{TrialId{0}, false});
    node.start(1, 0, std::string("[ -e gone ] && ") + report_once);

    CHECK(node.next<protocol::Report>().trial == TrialId{1});
}

TEST_CASE("a program starts once the process that a dead session left of its trial has ended") {
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

TEST_CASE("a standstill of this process does not count as waiting for the process of a dead session") {
    ProgramNode node(1);
    const auto log = (node.folder / "trainer.log").string();
    ProcessOptions former;
    former.command = {"sleep", "1000"};
    former.log = log;
    former.holds_log = true;
    const ChildProcess process(former);
    OomKills oom_kills;
    const auto options = node.options(1, {.grace = std::chrono::minutes(2)}, {});
    ProgramWorker worker(SlotId{0}, options, oom_kills);
    worker.join(node.group(0, 1, std::string(report_once) + "sleep 1000"), 0);
    std::vector<Notice> notices;
    const auto has_started = [&] {
        worker.advance(notices);
        return !notices.empty();
    };

    worker.excuse(std::chrono::minutes(-5));  // as if it had waited for five minutes
    worker.excuse(std::chrono::minutes(5));
    for (int i = 0; i < 10; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        CHECK_FALSE(has_started());
    }

    worker.excuse(std::chrono::minutes(-5));
    await("the program's report", has_started);
}

TEST_CASE("a trial that is taken back before its program starts is left at once") {
    ProgramNode node(1);
    node.start(0, 0, std::string(report_once) + "sleep 1000");
    node.next<protocol::Report>();
    node.agent.obey(LeaveTrial{TrialId{0}, false});
    node.start(1, 0, "touch started");

    node.agent.obey(LeaveTrial{TrialId{1}, false});

    CHECK(node.next<LeftTrial>().trial == TrialId{1});
    CHECK(node.next<LeftTrial>().trial == TrialId{0});
    node.start(2, 0, report_once);
    CHECK(node.next<protocol::Report>().trial == TrialId{2});
    CHECK_FALSE(std::filesystem::exists(node.folder / "started"));
}

TEST_CASE("a command that is too long to start fails only its own trial") {
    ProgramNode node(1);

    node.start(0, 0, std::string(140'000, ' '));
    const auto failed = node.next<WorkerFailed>();
    node.start(1, 0, report_once);

    CHECK(failed.trial == TrialId{0});
    CHECK(failed.kind == FailureKind::repeated_error);
    CHECK_MESSAGE(failed.message.find("limits one argument to 128 KiB") != std::string::npos, failed.message);
    CHECK(node.next<protocol::Report>().trial == TrialId{1});
}

TEST_CASE("a standstill of this process does not count as a program's silence") {
    ProgramNode node(1);
    auto options = node.options(1, {}, {});
    options.setup.supervision.hang_timeout = std::chrono::seconds(60);
    OomKills oom_kills;
    ProgramWorker worker(SlotId{0}, options, oom_kills);
    worker.join(node.group(0, 1, "sleep 1000"), 0);
    std::vector<Notice> notices;
    worker.advance(notices);

    const auto before = worker.deadline();
    worker.excuse(std::chrono::minutes(5));

    REQUIRE(before.has_value());
    CHECK(worker.deadline() == *before + std::chrono::minutes(5));
}

TEST_CASE("a standstill of this process does not count as time of doubt about a program that a signal ended") {
    ProgramNode node(1);
    auto options = node.options(1, {.patience = std::chrono::hours(1), .doubt = std::chrono::minutes(10)}, {});
    OomKills oom_kills;
    ProgramWorker worker(SlotId{0}, options, oom_kills);
    worker.join(node.group(0, 1, "kill -TERM $$"), 0);
    std::vector<Notice> notices;
    await("its end, which is in doubt", [&] {
        worker.advance(notices);
        std::vector<pollfd> descriptors;
        worker.watch(descriptors);
        return descriptors.empty();
    });

    const auto before = worker.deadline();
    worker.excuse(std::chrono::minutes(5));

    REQUIRE(before.has_value());
    CHECK(worker.deadline() == *before + std::chrono::minutes(5));
}

TEST_CASE("a member that has ended without an error leaves with its group; a member that fails is a failure") {
    ProgramNode node(2);
    node.start_group(0, 2, "[ $RANK = 1 ] && exit 0; " + std::string(report_once) + "sleep 1000");
    node.next<protocol::Report>();
    node.agent.obey(LeaveTrial{TrialId{0}, false});
    CHECK(node.next<LeftTrial>().slot != node.next<LeftTrial>().slot);

    node.start_group(1, 2, "[ $RANK = 1 ] && exit 3; " + std::string(report_once) + "sleep 1000");
    CHECK(node.next<WorkerFailed>().slot == SlotId{1});
}
