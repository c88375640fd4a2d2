#include "launch/sweep_file/check/checks.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "launch/json/json.hpp"
#include "tests/error_of.hpp"
#include "tests/launch/sweep_file/sound_sweep.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::error_of;
using crescendo::tests::sound;
using crescendo::tests::TemporaryFolder;

namespace {

/// A sweep file with `more`, and a shell script that stands in for its trainer.
struct Asked {
    Asked(const std::string& more, const std::string& script, const std::string& argument = "")
        : file(launch::parse_sweep(sound + more, "sweep.yaml")) {
        std::ofstream(folder / "trainer.sh") << "cat > " << (folder / "question").string() << "\n" << script;
        Mistakes mistakes;
        ask_trainer(file, {"sh", (folder / "trainer.sh").string(), argument}, "trainer", mistakes);
        problem = mistakes.empty() ? "" : error_of([&] { mistakes.throw_if_any(file.source); });
    }

    Json question() const {
        std::ifstream stream(folder / "question");
        return Json::parse(stream);
    }

    TemporaryFolder folder;
    SweepFile file;
    std::string problem;
};

const std::string a_trainer = "trainer: {model: cnn, depth: 2}\n";

}  // namespace

TEST_CASE("a trainer gets its settings, the metric, and values that represent each parameter") {
    const Asked asked(a_trainer, "echo '{\"problems\": []}'\n");

    const auto question = asked.question();
    CHECK(asked.problem.empty());
    CHECK(question.at("settings") == Json{{"model", "cnn"}, {"depth", 2}});
    CHECK(question.at("metric") == "val_loss");
    const auto& rates = question.at("parameters").at("lr");
    REQUIRE(rates.size() == 3);
    CHECK(rates.front() == 1e-4);
    CHECK(rates.back() == 0.3);
}

TEST_CASE("a problem that a trainer finds is reported once, at its key, and its remarks are kept") {
    const Asked asked(a_trainer,
                      "echo importing things\n"
                      "echo '{\"problems\": [{\"key\": \"trainer.depth\", \"message\": \"is 2; use 3\"},"
                      "{\"key\": \"trainer.depth\", \"message\": \"is 2; use 4\"}],"
                      "\"remarks\": [{\"key\": \"trainer.model\", \"message\": \"is slow\"}]}'\n");

    CHECK(asked.problem == "sweep.yaml:10:23: trainer.depth: is 2; use 3");
    REQUIRE(asked.file.remarks.size() == 1);
    CHECK(asked.file.remarks[0].key == "trainer.model");
}

TEST_CASE("a trainer without an answer is a mistake in the file, and the message quotes its output") {
    const auto problem_after = [](const std::string& script) { return Asked(a_trainer, script).problem; };

    CHECK(problem_after("exit 1\n").find("--check` gave no answer: ") != std::string::npos);
    CHECK(problem_after("echo '{\"problems\": [3]}'\n").find("; it printed: {\"problems\": [3]}") != std::string::npos);
    CHECK(problem_after("kill -9 $$\n").find("gave no answer") != std::string::npos);
}

TEST_CASE("the message about a failing script names the Python that ran it") {
    CHECK(Asked("command: [python3, train.py]\n", "exit 1\n", "python3")
              .problem.ends_with("python3 is the first one on PATH"));
}

TEST_CASE("the message about a failing program does not say that it must be a warm trainer") {
    const auto is_told = [](const std::string& script) {
        return Asked("command: [python3, train.py]\n", script).problem.find("must be a warm trainer") !=
               std::string::npos;
    };

    CHECK(is_told("echo epoch 1\n"));
    CHECK_FALSE(is_told("echo 'No module named torch' >&2; exit 1\n"));
    CHECK_FALSE(is_told("kill -9 $$\n"));
}
