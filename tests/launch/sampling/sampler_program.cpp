#include "launch/sampling/sampler_program.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "tests/await.hpp"
#include "tests/contains.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::contains;
using crescendo::tests::TemporaryFolder;

namespace {

const std::string propose_1 = R"(echo '{"config":{"x":1}}' >&3)";

/// A sweep of `run_cap` trials on one slot. Its Bash sampler runs `script` for each request, which is in `$line`.
struct Asked {
    explicit Asked(const std::string& script, const std::string& more = "", int run_cap = 3) {
        std::ofstream(folder / "sampler.sh") << "while read -r line <&3; do\n" << script << "\ndone\n";
        const auto file = parse_sweep("metric: {name: loss}\nrun_cap: " + std::to_string(run_cap) +
                                          "\nparameters: {x: {min: 0, max: 9}}\n"
                                          "scheduler: {type: fifo, max: 2}\n"
                                          "sampler: {command: [bash, " +
                                          (folder / "sampler.sh").string() + "]" + more + "}\n",
                                      "sweep.yaml");
        sweep.emplace(file.spec);
        source = std::make_unique<SamplerProgram>(
            file, SourceSettings{folder.path().string(), (folder / "log").string(),
                                 [this](const std::string& line) { said.push_back(line); }});
    }

    void apply(const Event& event) {
        sweep->apply(event);
        while (const auto proposed = source->await_next(*sweep)) {
            sweep->apply(*proposed);
        }
    }

    /// Runs all trials, one after the other.
    void run() {
        apply(SlotsJoined{{{SlotId{0}, NodeId{0}}}});
        for (std::int32_t trial = 0; trial < sweep->spec().run_cap; ++trial) {
            REQUIRE(std::cmp_equal(sweep->trials().size(), trial + 1));
            apply(TrialReported{TrialId{trial}, Resource{2}, 0.5});
        }
        CHECK(sweep->state() == SweepState::finished);
    }

    /// Expects that the sweep ends before its first trial.
    void run_in_vain() {
        CHECK_THROWS_WITH_AS(apply(SlotsJoined{{{SlotId{0}, NodeId{0}}}}),
                             "the sampler failed before it proposed anything; correct it, or remove `sampler`",
                             InvalidInput);
        CHECK(said.size() == 3);
        CHECK(sweep->trials().empty());
    }

    TemporaryFolder folder;
    std::optional<Sweep> sweep;
    std::unique_ptr<SamplerProgram> source;
    std::vector<std::string> said;
};

}  // namespace

TEST_CASE("a program proposes, and gets a message about every change of a trial") {
    Asked asked("echo \"$line\" >> heard; case $line in *propose*) " + propose_1 + ";; esac", ", ahead: 0");

    asked.run();

    CHECK(asked.said.empty());
    CHECK(asked.sweep->trial(TrialId{2}).config == Config{{"x", std::int64_t{1}}});
    CHECK(asked.sweep->trial(TrialId{2}).origin == Origin::program);
    const std::vector<std::string> expected{"begin ",       "propose ",     "tell running",  "tell finished",
                                            "propose ",     "tell running", "tell finished", "propose ",
                                            "tell running", "tell finished"};
    const auto num_heard = [&] {
        std::ifstream heard(asked.folder / "heard");
        return std::count(std::istreambuf_iterator<char>(heard), {}, '\n');
    };
    tests::await("the sampler hears the last message", [&] { return std::cmp_equal(num_heard(), expected.size()); });
    std::ifstream heard(asked.folder / "heard");
    std::vector<std::string> requests;
    for (std::string line; std::getline(heard, line);) {
        const auto message = Json::parse(line);
        requests.push_back(message["request"].get<std::string>() + " " + message.value("status", ""));
    }
    CHECK(requests == expected);
}

TEST_CASE("a program that keeps proposing the same configuration causes a warning") {
    Asked asked("case $line in *propose*) " + propose_1 + ";; esac", ", ahead: 0", /*run_cap=*/5);

    asked.run();

    REQUIRE(asked.said.size() == 1);
    CHECK(contains(asked.said[0], "has proposed 3 configurations that trials already have: it may have settled"));
}

TEST_CASE("proposals are requested ahead of free slots, but not beyond run_cap") {
    Asked asked("echo \"$line\" >> heard; case $line in *propose*) " + propose_1 + ";; esac", ", ahead: 9");

    asked.run();

    std::ifstream heard(asked.folder / "heard");
    int num_proposals = 0;
    for (std::string line; std::getline(heard, line);) {
        num_proposals += contains(line, "propose");
    }
    CHECK(num_proposals == 3);
}

TEST_CASE("a program that dies is restarted and gets all trials again; the third time, trials are drawn at random") {
    Asked asked("case $line in *propose*) [ ! -e used ] || { echo 'no space left' >&2; exit 3; }; touch used; " +
                propose_1 + ";; esac");

    asked.run();

    REQUIRE(asked.said.size() == 3);
    CHECK(contains(asked.said[0], "sampler.sh` failed: it ended (exit status 3); last words: no space left"));
    CHECK(contains(asked.said[0], "it is restarted"));
    CHECK(contains(asked.said[2], "at random from now on"));
    CHECK(asked.sweep->trial(TrialId{0}).origin == Origin::program);
    CHECK(asked.sweep->trial(TrialId{1}).origin == Origin::random);
}

TEST_CASE("a missing program ends the sweep before its first trial, because all trials would be random") {
    Asked asked("exit 1");
    std::filesystem::remove(asked.folder / "sampler.sh");

    asked.run_in_vain();

    CHECK(contains(asked.said.back(), "this was the third failure in a row, so no trial is started"));
}

TEST_CASE("a restarted program does not get the numbers of proposals that it did not make") {
    // The first process makes proposals 0 and 1, and dies at the next request. Trial 1 has proposal 1.
    Asked asked(
        "echo \"$line\" >> heard.$$; case $line in *'\"request\":\"propose\",\"proposal\":2,'*) exit 3;; *propose*) " +
            propose_1 + ";; esac",
        ", ahead: 2");

    asked.run();

    CHECK(asked.said.size() == 1);
    const auto look = [&] {
        int num_told = 0;
        for (const auto& entry : std::filesystem::directory_iterator(asked.folder.path())) {
            std::ifstream heard(entry.path());
            std::set<int> made;
            for (std::string line; entry.path().stem() == "heard" && std::getline(heard, line);) {
                const auto message = Json::parse(line);
                if (message["request"] == "propose") {
                    made.insert(message["proposal"].get<int>());
                } else if (message["request"] == "tell") {
                    num_told += message["trial"] == 1;
                    CHECK((!message.contains("proposal") || made.contains(message["proposal"].get<int>())));
                }
            }
        }
        return num_told > 0;
    };
    tests::await("the sampler hears of trial 1", look);
}

TEST_CASE("a silent program is killed at its deadline, together with the processes that it started") {
    Asked asked("case $line in *propose*) [ -e once ] && " + propose_1 + " || { touch once; sleep 600; };; esac",
                ", deadline: 1s");

    asked.run();

    REQUIRE_FALSE(asked.said.empty());  // if the machine stands still, another answer may be late, too
    CHECK(contains(asked.said[0], "gave no answer for 1 s"));
    CHECK(asked.sweep->trial(TrialId{0}).origin == Origin::program);
}

TEST_CASE("garbage and invalid values of parameters are failures") {
    for (const std::string answer : {"garbage", R"({"config":{"x":10}})", R"({"config":{"y":1}})"}) {
        CAPTURE(answer);
        Asked asked("case $line in *propose*) echo '" + answer + "' >&3;; esac");

        asked.run_in_vain();
    }
}

TEST_CASE("a program that writes without end, or without being asked, is stopped") {
    Asked endless("head -c 3000000 /dev/zero >&3; sleep 600");
    endless.run_in_vain();
    CHECK(contains(endless.said.front(), "it wrote a line of more than 1048576 bytes"));

    const std::string twice = R"(cat <<< $'{"config":{"x":1}}\n{"config":{"x":2}}' >&3)";  // in one write
    Asked unasked("case $line in *propose*) " + twice + ";; esac");
    unasked.run();
    REQUIRE_FALSE(unasked.said.empty());
    CHECK(contains(unasked.said.front(), "without being asked"));
}

TEST_CASE("a program without further proposals ends the sweep when its trials have ended") {
    Asked asked("case $line in *propose*) [ -e once ] && echo '{\"done\":true}' >&3 || { touch once; " + propose_1 +
                "; };; esac");
    asked.apply(SlotsJoined{{{SlotId{0}, NodeId{0}}}});
    CHECK(asked.sweep->state() == SweepState::running);

    asked.apply(TrialReported{TrialId{0}, Resource{2}, 0.5});

    CHECK(asked.sweep->state() == SweepState::finished);
    CHECK(asked.sweep->trials().size() == 1);
    REQUIRE(asked.said.size() == 1);
    CHECK(asked.said[0].ends_with("reported that it is done: the sweep ends with 1 of 3 trials"));
}

TEST_CASE("a program that proposes nothing, with no result to wait for, ends the sweep with a message") {
    Asked asked("case $line in *propose*) echo '{\"config\":null}' >&3;; esac");

    asked.apply(SlotsJoined{{{SlotId{0}, NodeId{0}}}});

    CHECK(asked.sweep->state() == SweepState::finished);
    REQUIRE(asked.said.size() == 1);
    CHECK(asked.said[0].ends_with(
        "proposed nothing, although no running trial is left to wait for: the sweep ends with 0 of 3 trials"));
}

TEST_CASE("a program that waits for results is asked again when there are new ones") {
    Asked asked("case $line in *begin*|*finished*) ready=1;; *propose*) if [ \"$ready\" ]; then ready=; " + propose_1 +
                "; else echo '{\"config\":null}' >&3; fi;; esac");

    asked.apply(SlotsJoined{{{SlotId{0}, NodeId{0}}}});
    REQUIRE(asked.sweep->trials().size() == 1);
    asked.apply(TrialReported{TrialId{0}, Resource{1}, 0.5});
    asked.apply(TrialReported{TrialId{0}, Resource{2}, 0.5});

    CHECK(asked.sweep->trials().size() == 2);
    CHECK(asked.said.empty());
}
