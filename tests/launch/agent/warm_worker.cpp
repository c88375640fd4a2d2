/// Warm workers whose trainer is a shell script that speaks the trial protocol.

#include "launch/agent/warm_worker.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <typeinfo>

#include "launch/agent/agent.hpp"
#include "tests/await.hpp"
#include "tests/launch/few_open_files.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/variable.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

namespace {

constexpr TrialId trial{4};
constexpr SlotId slot{0};

constexpr const char* say_hello = "say '{\"type\":\"hello\"}'; ";
constexpr const char* report = "say '{\"type\":\"report\",\"resource\":1,\"metrics\":{\"loss\":0.25}}'; ";

/// One node, with one slot by default, whose trainers run the script. In the script, `say` sends a line, and `hear`
/// waits for one.
struct WarmNode {
    explicit WarmNode(const std::string& script, std::chrono::milliseconds save_timeout = std::chrono::seconds(60),
                      bool is_of_user = false, std::size_t num_slots = 1, const SlotResources& resources = {},
                      const std::function<void(WorkerOptions&)>& change = {}) {
        const auto trainer = folder / "trainer";
        std::ofstream(trainer) << "#!/bin/bash\nsay() { echo \"$1\" >&$CRESCENDO_FD; }\n"
                               << "hear() { read -r heard <&$CRESCENDO_FD; }\n"
                               << script << '\n';
        std::filesystem::permissions(trainer, std::filesystem::perms::owner_all);
        WorkerOptions options;
        options.setup.kind = WorkerKind::warm_trainer;
        options.setup.directory = folder.path().string();
        options.setup.log = (folder / "trainers.log").string();
        options.setup.save_timeout = save_timeout;
        options.setup.restart_interval = std::chrono::milliseconds(1);
        options.grace = std::chrono::milliseconds(100);
        options.trainer = trainer.string();
        if (is_of_user) {
            options.setup.trainer = {"bash", trainer.string(), "--of-user"};
            options.guard = CRESCENDO_GUARD;
        }
        options.slots.resize(num_slots, resources);
        if (change) {
            change(options);
        }
        agent.emplace(NodeId{0}, std::move(options));
    }

    void join(int rank = 0) { agent->obey(group(rank)); }

    JoinGroup group(int rank = 0) const {
        JoinGroup order;
        order.join.trial = trial;
        order.join.directory = folder.path().string();
        order.join.settings.text = "{}";
        order.members = {{slot, rank}};
        return order;
    }

    void evaluate() {
        EvaluateTrial order;
        order.slot = slot;
        order.evaluate.trial = trial;
        order.evaluate.settings.text = "{}";
        order.evaluate.checkpoint = (folder / "checkpoint.pt").string();
        agent->obey(order);
    }

    /// The next notice, which has to be of this kind.
    template <class Kind>
    Kind next() {
        await(std::string("a notice like ") + typeid(Kind).name(), [&] {
            for (auto& notice : agent->poll(std::chrono::milliseconds(50))) {
                notices.push_back(std::move(notice));
            }
            return !notices.empty();
        });
        const auto notice = notices.front();
        notices.erase(notices.begin());
        REQUIRE(std::holds_alternative<Kind>(notice));
        return std::get<Kind>(notice);
    }

    TemporaryFolder folder;
    std::vector<Notice> notices;
    std::optional<Agent> agent;
};

}  // namespace

TEST_CASE("an order waits until the trainer is ready, and a trainer that left takes the next trial") {
    WarmNode node(std::string("sleep 0.1; ") + say_hello + "while hear; do case $heard in *join*) " + report +
                  ";; *leave*) say '{\"type\":\"left\"}';; esac; done");

    for (int i = 0; i < 2; ++i) {
        node.join();
        CHECK(node.next<protocol::Report>().metrics.at("loss") == 0.25);
        node.agent->obey(LeaveTrial{trial, false});
        CHECK(node.next<LeftTrial>().problem.empty());
    }
}

TEST_CASE("a report keeps the generation of the group that trained") {
    // Without its generation, its steps would be taken for those of another group.
    const auto reported = [](const std::string& members) {
        WarmNode node(std::string(say_hello) + R"(hear; say '{"type":"report","resource":1,"metrics":{"loss":0.25})" +
                      members + "}'; while hear; do :; done");
        node.join();
        return node.next<protocol::Report>().generation;
    };

    CHECK(reported(R"(,"generation":3)") == 3);
    CHECK(reported("") == -1);
}

TEST_CASE("a trial that is taken back before the trainer is ready is left at once") {
    WarmNode node("sleep 1000");
    node.join();

    node.agent->obey(LeaveTrial{trial, false});

    CHECK(node.next<LeftTrial>().trial == trial);
}

TEST_CASE("a trainer that gives up fails its trial with the reason that it gives, and is replaced") {
    WarmNode node(std::string(say_hello) + "hear; [ -e once ] && " + report + "touch once; " +
                  "say '{\"type\":\"failed\",\"kind\":\"out_of_memory\",\"message\":\"64 GiB\"}'; hear; sleep 1000");
    node.join();

    const auto failed = node.next<WorkerFailed>();

    CHECK(failed.trial == trial);
    CHECK(failed.kind == FailureKind::out_of_memory);
    CHECK(failed.message == "64 GiB");
    node.join();
    node.next<protocol::Report>();
}

TEST_CASE("the message about a lack of memory on a shared GPU says that other workers use it too") {
    WarmNode node(std::string(say_hello) +
                      "hear; say '{\"type\":\"failed\",\"kind\":\"out_of_memory\",\"message\":\"64 GiB\"}'; hear",
                  std::chrono::seconds(60), /*is_of_user=*/false, /*num_slots=*/2, {.gpu = "0", .slots_on_gpu = 2});
    node.join();

    CHECK(node.next<WorkerFailed>().message ==
          "64 GiB; 2 workers share this GPU's memory; a smaller slots_per_gpu gives each of them more");
}

TEST_CASE("a trainer that sends nonsense or a message out of turn fails its trial and is replaced") {
    for (const auto& [sent, message] : {std::pair{"world_size=4", "cannot be understood: not a JSON object"},
                                        {"[1]", "cannot be understood"},
                                        {"{\\\"kind\\\":1}", "cannot be understood"},
                                        {"{\\\"type\\\":\\\"left\\\"}", "it left its group without being told to"},
                                        {"{\\\"type\\\":\\\"hello\\\"}", "it sent 'hello' twice"},
                                        {"{\\\"type\\\":\\\"evaluated\\\"}", "it sent 'evaluated' during training"}}) {
        CAPTURE(sent);
        WarmNode node(std::string(say_hello) + "hear; [ -e once ] && " + report + "touch once; say \"" + sent +
                      "\"; say '{\"type\":\"left\"}'; sleep 1000");
        node.join();

        const auto failed = node.next<WorkerFailed>();

        CHECK_MESSAGE(failed.message.find(message) != std::string::npos, failed.message);
        CHECK(failed.kind == FailureKind::error);
        node.join();
        node.next<protocol::Report>();  // from another process
    }
}

TEST_CASE("a message of an unknown type causes one remark and is ignored") {
    WarmNode node(say_hello +
                  std::string("hear; say '{\"type\":\"reprot\"}'; say '{\"type\":\"reprot\"}'; "
                              "say '{\"type\":\"progress\"}'; ") +
                  report + "hear");
    node.join();

    CHECK(node.next<ProgramRemark>().message.starts_with("it sent a message of type 'reprot', which this"));
    CHECK(node.next<protocol::Report>().resource == Resource{1});
}

TEST_CASE("a store request that cannot be served fails its trial") {
    WarmNode node(std::string(say_hello) + "hear; say '{\"type\":\"store\",\"id\":1,\"op\":\"get\"}'; sleep 1000");
    node.join();

    const auto failed = node.next<WorkerFailed>();

    CHECK_MESSAGE(failed.message.find("a store request's \"trial\"") != std::string::npos, failed.message);
}

TEST_CASE("a trainer's store requests for its own trial are passed on; those for other trials get an error") {
    const auto get = [](int trial) {
        return "say '{\"type\":\"store\",\"id\":1,\"trial\":" + std::to_string(trial) +
               ",\"generation\":0,\"op\":\"get\",\"key\":\"a\"}'; ";
    };
    WarmNode own(say_hello + std::string("hear; ") + get(4) + "hear");
    own.join();
    WarmNode other(say_hello + std::string("hear; ") + get(5) + "hear; case $heard in *error*) " + report +
                   ";; esac; hear");
    other.join();

    CHECK(own.next<StoreRequest>().request.at("key") == "a");
    CHECK(other.next<protocol::Report>().trial == trial);
}

TEST_CASE("reports from ranks other than 0 are ignored") {
    WarmNode node(std::string(say_hello) + "hear; " + report + "hear; " + report + "hear");
    node.join(/*rank=*/1);

    CHECK(node.next<ProgramRemark>().message.find("rank 1") != std::string::npos);
    node.join();  // now as rank 0, in another group

    CHECK(node.next<protocol::Report>().metrics.at("loss") == 0.25);
}

TEST_CASE("a trainer that dies fails its trial; one that dies while it leaves may not have saved") {
    WarmNode busy(std::string(say_hello) + "hear; echo out of luck > trainer.log; kill -SEGV $$");
    busy.join();
    WarmNode leaving(std::string(say_hello) + "hear; " + report + "hear; exit 3");
    leaving.join();
    leaving.next<protocol::Report>();
    leaving.agent->obey(LeaveTrial{trial, true});

    const auto crash = busy.next<WorkerFailed>();
    CHECK(crash.kind == FailureKind::crash);
    CHECK(crash.message.find("signal 11") != std::string::npos);
    CHECK(crash.message.ends_with("last words: out of luck"));
    CHECK(leaving.next<LeftTrial>().problem == "exit status 3");
}

TEST_CASE("a trainer is told whether to save before it leaves") {
    for (const bool save : {true, false}) {
        WarmNode node(std::string(say_hello) + "while hear; do case $heard in *join*) " + report +
                      ";; *leave*) echo \"$heard\" > order; say '{\"type\":\"left\"}';; esac; done");
        node.join();
        node.next<protocol::Report>();

        node.agent->obey(LeaveTrial{trial, save});

        node.next<LeftTrial>();
        CHECK(Json::parse(std::ifstream(node.folder / "order")).at("save") == save);
    }
}

TEST_CASE("a trainer that does not leave in time is killed") {
    WarmNode node(std::string(say_hello) + "hear; " + report + "while true; do hear; done; sleep 1000",
                  std::chrono::milliseconds(0));
    node.join();
    node.next<protocol::Report>();

    node.agent->obey(LeaveTrial{trial, true});

    CHECK(node.next<LeftTrial>().problem == "it did not leave within 0 s");
}

TEST_CASE("a standstill of this process does not count against a trainer that has to leave or to end") {
    const std::string failure = "say '{\"type\":\"failed\",\"kind\":\"error\",\"message\":\"no\"}'; ";
    for (const auto& [does, is_leaving] : {std::pair{std::string(report), true}, std::pair{failure, false}}) {
        const WarmNode node(say_hello + ("hear; " + does) + "sleep 1000");
        WorkerOptions options;
        options.setup.directory = node.folder.path().string();
        options.setup.log = (node.folder / "trainers.log").string();
        options.trainer = (node.folder / "trainer").string();
        options.grace = std::chrono::seconds(60);
        options.slots.resize(1);
        OomKills oom_kills;
        WarmWorker worker(slot, options, oom_kills);
        worker.join(node.group(), 0);
        std::vector<Notice> notices;
        await("what the trainer says", [&] {
            worker.advance(notices);
            return !notices.empty();
        });
        if (is_leaving) {
            worker.leave({trial, true});
        }

        const auto before = worker.deadline();
        worker.excuse(std::chrono::minutes(5));

        REQUIRE(before.has_value());
        CHECK(worker.deadline() == *before + std::chrono::minutes(5));
    }
}

TEST_CASE("a standstill anywhere in this process does not make a trainer count as hung") {
    WarmNode node(std::string(say_hello) + "hear; " + report + "sleep 1000", std::chrono::seconds(60),
                  /*is_of_user=*/false, /*num_slots=*/1, {}, [](WorkerOptions& options) {
                      options.setup.supervision.hang_timeout = std::chrono::milliseconds(500);
                      options.standstill = std::chrono::milliseconds(0);  // any time between two looks counts
                  });
    node.join();
    node.next<protocol::Report>();

    std::this_thread::sleep_for(std::chrono::milliseconds(600));  // like a slow sync of the journal

    for (int i = 0; i < 3; ++i) {  // one poll would see the end of its socket, and another that of its process
        CHECK(node.agent->poll(std::chrono::milliseconds(0)).empty());
    }
}

TEST_CASE("a checkpoint that finds no room is reported as such, whether the trainer trains or leaves") {
    const std::string no_room = "say '{\"type\":\"failed\",\"kind\":\"disk\",\"message\":\"no room\"}'; exit 1";
    WarmNode busy(std::string(say_hello) + "hear; " + no_room);
    busy.join();
    WarmNode leaving(std::string(say_hello) + "hear; " + report + "hear; " + no_room);
    leaving.join();
    leaving.next<protocol::Report>();
    leaving.agent->obey(LeaveTrial{trial, true});

    CHECK(busy.next<CheckpointFailed>().message == "no room");
    CHECK(leaving.next<CheckpointFailed>().message == "no room");
    CHECK(leaving.next<LeftTrial>().problem.empty());  // the notice before says it all
}

TEST_CASE("an evaluation answers with metrics or with the reason why there are none") {
    WarmNode good(std::string(say_hello) +
                  "hear; say '{\"type\":\"evaluated\",\"metrics\":{\"test_loss\":0.5}}'; hear");
    WarmNode bad(std::string(say_hello) +
                 "hear; say '{\"type\":\"failed\",\"kind\":\"disk\",\"message\":\"no file\"}'; sleep 1000");

    good.evaluate();
    bad.evaluate();

    CHECK(good.next<TrialEvaluated>().metrics.at("test_loss") == 0.5);
    CHECK(bad.next<TrialEvaluated>().error == "no file");
}

TEST_CASE("a slot where three trainers end before they are ready is down until one is ready") {
    WarmNode node("echo >> starts; [ $(wc -l < starts) -gt 4 ] || exit 9\n" + std::string(say_hello) + "hear");

    const auto first = node.next<SlotDown>();
    CHECK(first.num_retries == 0);
    CHECK(first.message.find("ends before it is ready: exit status 9") != std::string::npos);
    node.evaluate();  // sent before the notice arrived
    CHECK(node.next<TrialEvaluated>().error == "no trainer can start there");
    CHECK(node.next<SlotDown>().num_retries == 1);  // after the fourth trainer
    CHECK(node.next<SlotUp>().slot == slot);
}

TEST_CASE("a slot goes down between trainers that end while they wait for a trial") {
    WarmNode node("echo >> starts\n" + std::string(say_hello) + "exit 9");

    const auto first = node.next<SlotDown>();
    CHECK(first.num_retries == 0);
    CHECK(first.message.find("ends while it waits for a trial: exit status 9") != std::string::npos);
    std::ifstream starts(node.folder / "starts");
    CHECK(std::count(std::istreambuf_iterator<char>(starts), {}, '\n') == 3);
    node.next<SlotUp>();
    CHECK(node.next<SlotDown>().num_retries == 1);
}

TEST_CASE("the reason why a slot is down is what a trainer without a trial said, or why it was killed") {
    const auto why_down = [](const std::string& script, std::optional<std::chrono::milliseconds> hang_timeout = {}) {
        WarmNode node(script, std::chrono::seconds(60), /*is_of_user=*/false, /*num_slots=*/1, {},
                      [&](WorkerOptions& options) { options.setup.supervision.hang_timeout = hang_timeout; });
        const auto message = node.next<SlotDown>().message;
        return message.substr(message.find("ends "));
    };

    CHECK(why_down("say 'world_size=4'; sleep 1000")
              .starts_with("ends before it is ready: its message through CRESCENDO_FD cannot be understood"));
    CHECK(why_down("say '{\"type\":\"failed\",\"message\":\"no license\"}'; sleep 1000")
              .starts_with("ends before it is ready: no license"));
    CHECK(why_down(std::string(say_hello) + say_hello + "sleep 1000")
              .starts_with("ends while it waits for a trial: it sent 'hello' twice"));
    CHECK(why_down(std::string(say_hello) + "sleep 1000", std::chrono::milliseconds(50))
              .starts_with("ends while it waits for a trial: no progress for"));
}

TEST_CASE("a slot where no trainer starts is tried again after 10 s, 30 s, 90 s and so on, up to 5 minutes") {
    const WarmNode node("exit 9");
    WorkerOptions options;
    options.setup.directory = node.folder.path().string();
    options.setup.log = (node.folder / "trainers.log").string();
    options.setup.restart_interval = std::chrono::milliseconds(10);  // instead of 10 s
    options.trainer = (node.folder / "trainer").string();
    options.slots.resize(1);
    OomKills oom_kills;
    WarmWorker worker(slot, options, oom_kills);
    for (const int intervals : {1, 3, 9, 27, 30, 30}) {
        CAPTURE(intervals);
        std::vector<Notice> notices;
        Clock::time_point before;
        await("the slot is down", [&] {
            before = Clock::now();
            worker.advance(notices);
            return !notices.empty();
        });

        REQUIRE(std::holds_alternative<SlotDown>(notices.front()));
        CHECK(*worker.deadline() >= before + intervals * options.setup.restart_interval);
        CHECK(*worker.deadline() <= Clock::now() + intervals * options.setup.restart_interval);
    }
}

TEST_CASE("a trainer that cannot be killed does not keep its trial, and its slot is down until its process is gone") {
    const auto script = std::string(say_hello) + "hear; " + report +
                        "for ((i = 0; i < 6000; ++i)); do [ -e freed ] && exit; sleep 0.01; done";
    for (const bool hangs : {true, false}) {
        WarmNode node(script, std::chrono::milliseconds(0), /*is_of_user=*/true, 1, {}, [&](WorkerOptions& options) {
            options.guard = options.setup.directory + "/guard";  // ignores the order to kill the trainer
            std::ofstream(options.guard) << "#!/bin/bash\nshift\n[ -e freed ] || trap '' QUIT\n\"$@\"\n";
            std::filesystem::permissions(options.guard, std::filesystem::perms::owner_all);
            options.death = std::chrono::milliseconds(100);
            if (hangs) {
                options.setup.supervision.hang_timeout = std::chrono::seconds(2);
            }
        });
        node.join();
        node.next<protocol::Report>();

        if (hangs) {
            CHECK(node.next<WorkerFailed>().message ==
                  "no progress for 2 s; its process was killed but does not end, because it waits for a device or a "
                  "file system that does not respond");
        } else {
            node.agent->obey(LeaveTrial{trial, true});
            CHECK(node.next<LeftTrial>().problem.starts_with("its process was killed but does not end"));
        }
        CHECK(node.next<SlotDown>().num_retries == 0);
        CHECK(node.next<SlotDown>().num_retries == 1);  // no other trainer starts meanwhile
        std::ofstream(node.folder / "freed").close();
        await("the next trainer", [&] {
            const auto arrived = node.agent->poll(std::chrono::milliseconds(50));
            return std::ranges::any_of(arrived, [](const auto& each) { return std::holds_alternative<SlotUp>(each); });
        });
        node.notices.clear();  // notices that it was still down
        node.join();
        node.next<protocol::Report>();
    }
}

TEST_CASE("a user's own trainer leaves no process behind when it is killed, when it dies, or when the agent ends") {
    const auto script =
        std::string("setsid sleep 1000 & echo $! > daemon; ") + say_hello + "hear; " + report + "hear; ";
    const auto daemon_of = [](const WarmNode& node) { return number_in(node.folder / "daemon"); };
    long last = 0;
    {
        WarmNode killed(script + "sleep 1000", std::chrono::milliseconds(0), /*is_of_user=*/true);
        WarmNode dying(script + "exit 1", std::chrono::seconds(60), true);
        WarmNode training(script, std::chrono::seconds(60), true);
        for (auto* node : {&killed, &dying, &training}) {
            node->join();
            node->next<protocol::Report>();
            REQUIRE(is_alive(daemon_of(*node)));
        }
        const std::array daemons{daemon_of(killed), daemon_of(dying)};
        killed.agent->obey(LeaveTrial{trial, false});
        dying.agent->obey(LeaveTrial{trial, false});
        CHECK(killed.next<LeftTrial>().problem == "it did not leave within 0 s");
        CHECK(dying.next<LeftTrial>().problem == "exit status 1");
        for (const long daemon : daemons) {
            CHECK_FALSE(is_alive(daemon));
        }
        last = daemon_of(training);
    }
    CHECK_FALSE(is_alive(last));
}

TEST_CASE("a trainer ends when its worker is terminated, before the worker waits for it") {
    const WarmNode node(std::string("echo $$ >number; mv number pid; ") + say_hello + "sleep 1000");
    std::filesystem::create_directory(node.folder / "other");
    WorkerOptions options;
    options.setup.directory = (node.folder / "other").string();
    options.setup.log = (node.folder / "trainers.log").string();
    options.trainer = (node.folder / "trainer").string();
    options.slots.resize(1);
    OomKills oom_kills;
    WarmWorker worker(slot, options, oom_kills);
    long trainer = 0;
    await("the trainer", [&] { return (trainer = number_in(node.folder / "other" / "pid")) != 0; });

    worker.terminate();

    await("its end", [&] { return !is_alive(trainer); });
}

namespace {

/// The values of an environment variable in the trainers of a node.
std::vector<std::string> values_of(const std::string& variable, bool is_of_user, std::size_t num_slots,
                                   const std::function<void(const std::string&)>& look = {}) {
    const WarmNode node("printf %s \"$" + variable + "\" >value-$$; mv value-$$ given-$$; hear",
                        std::chrono::seconds(60), is_of_user, num_slots);
    std::vector<std::string> values;
    await("the trainers' words", [&] {
        values.clear();
        for (const auto& entry : std::filesystem::directory_iterator(node.folder.path())) {
            if (entry.path().filename().string().starts_with("given-")) {
                std::ifstream(entry.path()) >> values.emplace_back();
            }
        }
        return values.size() == num_slots;
    });
    std::ranges::for_each(
        values, look ? look : [](const std::string&) {});
    return values;
}

/// The paths of shared memory that the trainers of a node get.
std::vector<std::string> shared_memory_of(bool is_of_user, std::size_t num_slots) {
    return values_of("CRESCENDO_SHARED_MEMORY", is_of_user, num_slots,
                     [](const std::string& path) { CHECK((path.empty() || std::filesystem::exists(path))); });
}

}  // namespace

TEST_CASE("a warm trainer sees Slurm's job but not the step, so it does not take itself for a rank") {
    const Variable job("SLURM_JOB_ID", "17");
    const Variable step("SLURM_STEP_ID", "0");

    CHECK(values_of("SLURM_JOB_ID.$SLURM_STEP_ID", /*is_of_user=*/true, 1) == std::vector<std::string>{"17."});
}

TEST_CASE("an agent can open the files that its workers need, even if the limit is low at first") {
    const FewOpenFiles few(64);

    const WarmNode node("hear", std::chrono::seconds(60), /*is_of_user=*/false, /*num_slots=*/32);

    CHECK(node.agent->slots().size() == 32);
}

TEST_CASE("crescendo's own trainers share memory if a node has several; a user's trainers do not") {
    const auto paths = shared_memory_of(/*is_of_user=*/false, 2);
    CHECK_FALSE(paths[0].empty());
    CHECK(paths[0] == paths[1]);
    CHECK(shared_memory_of(false, 1) == std::vector<std::string>{""});
    CHECK(shared_memory_of(/*is_of_user=*/true, 2) == std::vector<std::string>{"", ""});
}

TEST_CASE("members of a group get the same PYTHONHASHSEED, so their sets have the same order") {
    const auto given = std::getenv("PYTHONHASHSEED") != nullptr;  // in the environment of this test
    CHECK(values_of("PYTHONHASHSEED", /*is_of_user=*/true, 2) ==
          std::vector<std::string>(2, given ? std::getenv("PYTHONHASHSEED") : "0"));
}

TEST_CASE("members of a group give up after half of hang_timeout, at most a minute, before they count as hung") {
    using Time = std::optional<std::chrono::seconds>;
    for (const auto& [hang_timeout, given] :
         {std::pair{Time{}, "unset"}, {Time{5}, "2"}, {Time{90}, "45"}, {Time{600}, "60"}}) {
        CAPTURE(given);
        const WarmNode node("echo ${CRESCENDO_GROUP_TIMEOUT-unset} >value; mv value given; hear",
                            std::chrono::seconds(60), /*is_of_user=*/false, /*num_slots=*/1, {},
                            [&](WorkerOptions& options) { options.setup.supervision.hang_timeout = hang_timeout; });
        std::string value;
        await("the trainer's word", [&] { return bool(std::getline(std::ifstream(node.folder / "given"), value)); });

        CHECK(value == given);
    }
}

TEST_CASE("a user's own trainer prints without a buffer unless the user has set PYTHONUNBUFFERED") {
    ::unsetenv("PYTHONUNBUFFERED");
    CHECK(values_of("PYTHONUNBUFFERED", /*is_of_user=*/true, 1) == std::vector<std::string>{"1"});
    const Variable of_user("PYTHONUNBUFFERED", "2");
    CHECK(values_of("PYTHONUNBUFFERED", /*is_of_user=*/true, 1) == std::vector<std::string>{"2"});
}
