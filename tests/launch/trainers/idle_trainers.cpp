/// Tests idle trainers with shell scripts that speak the trial protocol.

#include "launch/trainers/idle_trainers.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

namespace {

constexpr const char* say_hello = "say '{\"type\":\"hello\"}'; ";

/// A trainer that runs the script; `say` sends a line, and `hear` waits for one.
struct Script {
    explicit Script(const std::string& script) {
        options.program = (folder / "trainer").string();
        options.directory = folder.path().string();
        std::ofstream(options.program) << "#!/bin/bash\nsay() { echo \"$1\" >&$CRESCENDO_FD; }\n"
                                       << "hear() { read -r heard <&$CRESCENDO_FD; }\n"
                                       << script << '\n';
        std::filesystem::permissions(options.program, std::filesystem::perms::owner_all);
    }

    /// The answer to an order.
    Json ask() const { return IdleTrainers(options).ask({Json{{"type", "count"}}}, "counted").front(); }

    TemporaryFolder folder;
    IdleTrainers::Options options;
};

}  // namespace

TEST_CASE("an idle trainer answers an order among other messages, in the given folder and with the given threads") {
    Script script(std::string(say_hello) +
                  "while hear; do say '{\"type\":\"progress\"}'; "
                  "say '{\"type\":\"counted\",\"threads\":'$CRESCENDO_THREADS',\"folder\":\"'$PWD'\"}'; done");
    script.options.slots = {IdleTrainers::idle_slot(3)};

    const auto answer = script.ask();

    CHECK(answer.at("threads") == 3);
    CHECK(answer.at("folder") == script.folder.path().string());
}

TEST_CASE("the error says whether a trainer failed, ended or was silent") {
    Script silent(std::string(say_hello) + "sleep 100");
    silent.options.patience = std::chrono::milliseconds(100);

    CHECK_THROWS_WITH_AS(
        Script(std::string(say_hello) + "hear; say '{\"type\":\"failed\",\"message\":\"no room\"}'; sleep 100").ask(),
        "no room", std::runtime_error);
    CHECK_THROWS_WITH_AS(Script("echo I am lost; exit 3").ask(),
                         doctest::Contains("ended: exit status 3; its last words: I am lost"), std::runtime_error);
    CHECK_THROWS_WITH_AS(silent.ask(), doctest::Contains("no progress for"), std::runtime_error);
}

TEST_CASE("several trainers share a store, and each has its own order and arguments") {
    // The first trainer waits for the value that the second writes.
    Script script(R"sh(
        hear
        if [[ $heard == *first* ]]; then
            say '{"type":"store","trial":0,"generation":0,"id":1,"op":"get","key":"k"}'
            hear
        else
            say '{"type":"store","trial":0,"generation":0,"id":1,"op":"set","key":"k","value":"Zm91bmQ="}'
            heard=$1
        fi
        say "{\"type\":\"counted\",\"heard\":\"$(tr -d '"' <<< "$heard")\"}"
        sleep 100)sh");
    script.options.slots = {IdleTrainers::idle_slot(), IdleTrainers::idle_slot()};
    script.options.arguments = [](int rank) { return std::vector{"argument " + std::to_string(rank)}; };

    const auto answers = IdleTrainers(script.options).ask({Json("first"), Json("second")}, "counted");

    CHECK(answers.at(0).at("heard").get<std::string>().find("Zm91bmQ=") != std::string::npos);
    CHECK(answers.at(1).at("heard") == "argument 1");
}

TEST_CASE("messages from trainers that have answered do not wake the wait for the last answer") {
    Script script(R"sh(
        hear
        if [[ $1 == last ]]; then
            sleep 0.3
        fi
        say '{"type":"counted"}'
        while say '{"type":"progress"}'; do sleep 0.01; done)sh");
    script.options.slots = {IdleTrainers::idle_slot(), IdleTrainers::idle_slot()};
    script.options.arguments = [](int rank) { return std::vector<std::string>{rank == 1 ? "last" : "first"}; };
    int num_looks = 0;
    script.options.is_ended = [&] { return ++num_looks < 0; };
    IdleTrainers trainers(script.options);

    trainers.ask({Json(""), Json("")}, "counted");

    CHECK(num_looks < 1000);  // a loop that does not wait looks more than a hundred thousand times
}

TEST_CASE("the processor has a name") { CHECK(!hardware_name().empty()); }
