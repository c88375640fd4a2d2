#include "launch/agent/program_work.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

#include "core/files/durable_file.hpp"
#include "tests/contains.hpp"
#include "tests/launch/agent/program_node.hpp"
#include "tests/variable.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("each host of a group has one line, even if another host's ranks lie between its own") {
    ProgramNode node(1);
    auto options = node.options(3, {}, {});
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

TEST_CASE("a group does not start without a complete file of its hosts") {
    ProgramNode node(1);
    const auto options = node.options(2, {}, {});
    ProgramWork work{node.group(4, 2, "true"), /*rank=*/0};
    work.order.join.directory = (node.folder / "nowhere").string();

    CHECK_THROWS_AS(write_hosts(work, options), WriteError);
    work.rank = 1;
    CHECK_NOTHROW(write_hosts(work, options));  // rank 0 writes it
}

TEST_CASE("a program is told the end of its trial and its group's hosts only if there are any") {
    ProgramNode node(1);
    const auto options = node.options(2, {}, {});
    const auto is_told = [&](const ProgramWork& work, const std::string& name) {
        return std::ranges::any_of(environment_of(work, SlotId{0}, options),
                                   [&](const auto& variable) { return variable.first == name; });
    };
    const ProgramWork group{node.group(4, 2, "true"), /*rank=*/0};
    ProgramWork alone{node.group(4, 1, "true"), /*rank=*/0};
    alone.order.join.max_resource = unlimited_resource;

    for (const std::string name : {"CRESCENDO_MAX_RESOURCE", "CRESCENDO_HOSTS"}) {
        CHECK(is_told(group, name));
        CHECK_FALSE(is_told(alone, name));
    }
}

TEST_CASE("a group has one process for each slot, with torchrun's variables, and rank 0 reports for all") {
    ProgramNode node(2, {.grace = std::chrono::minutes(1), .save = std::chrono::minutes(1)});
    node.start_group(4, 2,
                     "echo \"$RANK $WORLD_SIZE $LOCAL_RANK $LOCAL_WORLD_SIZE $MASTER_ADDR $MASTER_PORT\" > rank$RANK; "
                     "until [ -e rank1 ]; do sleep 0.01; done; " +
                         std::string(report_once) +
                         "echo $reply > heard$RANK; read -r reply <&$CRESCENDO_FD; "
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
        CHECK(heard("rank" + rank) == rank + " 2 " + rank + " 2 127.0.0.1 " + std::to_string(node.first_port));
    }
    CHECK(heard("hosts") == "here slots=2");
    node.agent.obey(LeaveTrial{TrialId{4}, true});

    CHECK(node.next<LeftTrial>().trial == TrialId{4});
    CHECK(node.next<LeftTrial>().trial == TrialId{4});
    for (const std::string rank : {"0", "1"}) {
        CHECK(heard("last" + rank) == R"({"decision":"stop","save":true})");
    }
}

TEST_CASE("a program sees Slurm's job but not the step, so it does not take itself for a rank") {
    const Variable job("SLURM_JOB_ID", "17");
    const Variable step("SLURM_STEP_ID", "0");
    const Variable rank("SLURM_PROCID", "0");
    ProgramNode node(1);

    node.start(4, 0, "env >environment; " + std::string(report_once));
    node.next<protocol::Report>();

    std::string environment;
    std::getline(std::ifstream(node.folder / "environment"), environment, '\0');
    CHECK(contains(environment, "\nSLURM_JOB_ID=17\n"));
    CHECK_FALSE(contains(environment, "SLURM_STEP_ID"));
    CHECK_FALSE(contains(environment, "SLURM_PROCID"));
}

TEST_CASE("a Python program prints without a buffer unless the user has set PYTHONUNBUFFERED") {
    for (const auto& [given, seen] : {std::pair<const char*, const char*>{nullptr, "1"}, {"", ""}, {"2", "2"}}) {
        CAPTURE(seen);
        const Variable variable("PYTHONUNBUFFERED", given != nullptr ? given : "");
        if (given == nullptr) {
            ::unsetenv("PYTHONUNBUFFERED");
        }
        ProgramNode node(1);

        node.start(4, 0, "echo \"<${PYTHONUNBUFFERED-unset}>\" >seen; " + std::string(report_once));
        node.next<protocol::Report>();

        std::string line;
        std::getline(std::ifstream(node.folder / "seen"), line);
        CHECK(line == "<" + std::string(seen) + ">");
    }
}

TEST_CASE("a Fortran program prints without a buffer if its reports are read from its output") {
    ProgramNode node(1, {}, ReportSource{{"loss (?P<loss>.+)"}, "", 1});

    node.start(4, 0, "echo loss $GFORTRAN_UNBUFFERED_PRECONNECTED");

    CHECK(node.next<protocol::Report>().metrics.at("loss") == 1);
}

TEST_CASE("a worker on a part of a GPU sees only that part, because CUDA shows a process only one") {
    ProgramNode node(2);
    auto options = node.options(2, {}, {});
    options.slots[0].gpu = "MIG-a";
    options.slots[1].gpu = "MIG-b";
    ProgramWork work{node.group(4, 2, "true"), /*rank=*/1};

    const auto environment = environment_of(work, SlotId{1}, options);
    const auto value_of = [&](const std::string& name) {
        std::string values;
        for (const auto& [each, value] : environment) {
            values += each == name ? value + ";" : "";
        }
        return values;
    };

    CHECK(value_of("CUDA_VISIBLE_DEVICES") == "MIG-b;");
    CHECK(value_of("LOCAL_RANK") == "0;");
    CHECK(value_of("LOCAL_WORLD_SIZE") == "1;");
    CHECK(value_of("RANK") == "1;");
    CHECK(value_of("WORLD_SIZE") == "2;");
}

TEST_CASE("slots that share GPUs name them, and other slots name none") {
    const auto shared = slots_of_node(NodeId{2}, SlotId{8}, /*count=*/3, /*num_shared_gpus=*/2);
    const auto alone = slots_of_node(NodeId{2}, SlotId{8}, 3, 0);

    CHECK(shared[2].id == SlotId{10});
    CHECK(shared[2].node == NodeId{2});
    CHECK(shared[1].gpu == 1);
    CHECK(shared[2].gpu == 0);
    CHECK_FALSE(alone[2].gpu.has_value());
}
