#include "launch/sampling/supervised_program.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "tests/temporary_folder.hpp"
#include "tests/variable.hpp"

using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;
using crescendo::tests::Variable;

namespace {

/// A Bash program that runs `script`, and the messages about it.
struct Supervised {
    explicit Supervised(const std::string& script, std::chrono::seconds deadline = std::chrono::seconds(60))
        : program({"the helper", {"bash", "-c", script}, deadline, {{}, {}, [this](const std::string& line) {
                                                                        said.push_back(line);
                                                                    }}}) {}

    /// Waits for the first answer.
    std::string answer() {
        std::string answer;
        while (answer.empty()) {
            program.await_answer();
            program.receive([&](const std::string& line) {
                answer = line;
                return true;
            });
        }
        return answer;
    }

    std::vector<std::string> said;
    SupervisedProgram program;
};

}  // namespace

TEST_CASE("a program answers, and there is patience only while an answer is due") {
    Supervised helper("while read -r line <&3; do echo \"got $line\" >&3; done");
    helper.program.start();
    CHECK_FALSE(helper.program.patience().has_value());

    helper.program.ask({{"n", 1}});

    CHECK(helper.program.num_asked() == 1);
    CHECK(helper.program.patience().has_value());
    CHECK(helper.answer() == R"(got {"n":1})");
    CHECK(helper.program.num_asked() == 0);
}

TEST_CASE("a program receives keys in the order of the sweep file") {
    Supervised helper("read -r line <&3; echo \"got $line\" >&3; read -r line <&3");
    helper.program.start();

    helper.program.ask({{"draw", {{"width", 16}, {"lr", 0.5}}}});

    CHECK(helper.answer() == R"(got {"draw":{"width":16,"lr":0.5}})");
}

TEST_CASE("a program has time to save its state when its messages end") {
    const TemporaryFolder folder;
    {
        Supervised helper("while read -r line <&3; do echo ok >&3; done; echo saved > " + (folder / "model").string());
        helper.program.start();
        helper.program.ask({{"n", 1}});
        helper.answer();
    }

    CHECK(std::filesystem::exists(folder / "model"));
}

TEST_CASE("a program does not take itself for a rank of a Slurm step") {
    const Variable job("SLURM_JOB_ID", "17");
    const Variable step("SLURM_STEP_ID", "0");
    Supervised helper("read -r line <&3; echo \"$SLURM_JOB_ID.$SLURM_STEP_ID\" >&3; read -r line <&3");
    helper.program.start();
    helper.program.ask({{"n", 1}});

    CHECK(helper.answer() == "17.");
}

TEST_CASE("a program that is late because it prints its answer, or has ended, is an error; a dismissed one is not") {
    Supervised prints("read -r line <&3; echo '{\"config\":{}}'; read -r line <&3", std::chrono::seconds(1));
    prints.program.start();
    prints.program.ask({{"n", 1}});
    CHECK_THROWS_WITH(prints.answer(),
                      "it gave no answer for 1 s, its deadline: it printed its answer instead of writing it to the "
                      "socket CRESCENDO_FD");

    Supervised ended("read -r line <&3; exit 3");
    ended.program.start();
    ended.program.ask({{"n", 1}});
    CHECK_THROWS_WITH(ended.answer(), "it ended (exit status 3)");

    Supervised dismissed("read -r line <&3; echo done >&3");
    dismissed.program.start();
    dismissed.program.ask({{"n", 1}});
    dismissed.program.await_answer();
    dismissed.program.receive([&](const std::string&) {
        dismissed.program.dismiss();
        return true;
    });
    CHECK(dismissed.program.num_asked() == 0);
    CHECK_NOTHROW(dismissed.program.receive([](const std::string&) { return true; }));
}

TEST_CASE("time in which Crescendo stood still, as in a suspended job, does not count as silence of a program") {
    using namespace std::chrono_literals;
    Supervised helper("read -r line <&3; read -r line <&3");
    helper.program.start();
    helper.program.ask({{"n", 1}});
    const auto start = Clock::now();
    const auto nothing = [](const std::string&) { return true; };
    const auto look = [&](std::chrono::seconds from, std::chrono::seconds to) {
        for (auto time = from; time <= to; time += 4s) {
            helper.program.receive(nothing, start + time);
        }
    };

    CHECK_NOTHROW(look(0s, 40s));
    CHECK_NOTHROW(look(1000s, 1016s));  // after a pause of 960 s; 16 of its 60 s are left
    CHECK_THROWS_WITH(look(1020s, 1024s), "it gave no answer for 60 s, its deadline");
}

TEST_CASE("a long time without questions does not extend the deadline of the next answer") {
    using namespace std::chrono_literals;
    Supervised helper("read -r line <&3; read -r line <&3");
    helper.program.start();
    const auto nothing = [](const std::string&) { return true; };
    helper.program.receive(nothing, Clock::now() - 500s);

    helper.program.ask({{"n", 1}});
    for (auto time = 0s; time < 60s; time += 4s) {
        helper.program.receive(nothing, Clock::now() + time);
    }

    CHECK_THROWS_WITH(helper.program.receive(nothing, Clock::now() + 60s), "it gave no answer for 60 s, its deadline");
}

TEST_CASE("a program is given up after three failures in a row, and an answer resets the count") {
    Supervised helper("while read -r line <&3; do echo ok >&3; done");
    helper.program.start();
    helper.program.fail("it erred", "");
    helper.program.start();
    helper.program.fail("it erred", "");
    CHECK_FALSE(helper.program.is_running());
    CHECK(helper.said.back() == "the helper failed: it erred; it is restarted, and receives all trials again");

    helper.program.start();
    helper.program.ask({{"n", 1}});
    helper.answer();
    for (int i = 0; i < 3; ++i) {
        CHECK_FALSE(helper.program.is_given_up());
        helper.program.start();
        helper.program.fail("it erred", "nobody helps from now on");
    }

    CHECK(helper.program.is_given_up());
    CHECK(helper.said.back() ==
          "the helper failed: it erred; this was the third failure in a row, so nobody helps from now on");
}
