/// Files of W&B's users: they are accepted as they are, and run as W&B would run them.

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/e2e/command.hpp"

using namespace crescendo::tests;

namespace {

struct WandbFile {
    std::string what;     ///< what it shows
    std::string refused;  ///< the key of its one mistake; empty if it is accepted
    std::string text;
};

std::vector<WandbFile> all_files() {
    std::vector<WandbFile> files;
    std::istringstream lines(content_of(CRESCENDO_WANDB_SWEEPS));
    const std::string separator = "--- # ";
    const std::string refusal = "REFUSED ";
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(separator + refusal)) {
            const auto title = line.substr(separator.size() + refusal.size());
            files.push_back({title, title.substr(0, title.find(": ")), ""});
        } else if (line.starts_with(separator)) {
            files.push_back({line.substr(separator.size()), "", ""});
        } else if (!files.empty()) {
            files.back().text += line + "\n";
        }
    }
    return files;
}

}  // namespace

TEST_CASE("95 of 100 files such as W&B's users have are valid as they are, and the others name one reason") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "src");
    for (const char* program : {"train.py", "run.py", "train.sh", "src/train.py"}) {
        write_file(folder / program, "");
    }
    const auto files = all_files();
    int num_valid = 0;

    for (const auto& [what, refused, text] : files) {
        CAPTURE(what);
        write_file(folder / "sweep.yaml", text);
        const auto result = run_crescendo(folder.path(), {"validate", "sweep.yaml"});
        CHECK_MESSAGE(result.code == (refused.empty() ? 0 : 2), result.err);
        if (result.code == 2) {
            CHECK_MESSAGE(result.err.find(": " + refused + ": ") != std::string::npos, result.err);
            CHECK_MESSAGE(result.err.find(" mistakes") == std::string::npos, result.err);
        }
        num_valid += result.code == 0 ? 1 : 0;
    }

    REQUIRE(files.size() == 60);
    CHECK(num_valid * 100 >= 95 * 60);
}

TEST_CASE("the same files are valid in our own words too, with the same number of trials") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "src");
    for (const char* program : {"train.py", "run.py", "train.sh", "src/train.py"}) {
        write_file(folder / program, "");
    }

    for (const auto& [what, refused, text] : all_files()) {
        CAPTURE(what);
        write_file(folder / "sweep.yaml", text);
        const auto imported = run_crescendo(folder.path(), {"import", "sweep.yaml"});
        if (!refused.empty() && imported.code == 2) {
            CHECK_MESSAGE(imported.err.find(": " + refused + ": ") != std::string::npos, imported.err);
            continue;
        }
        CHECK_MESSAGE(imported.code == 0, imported.err);
        write_file(folder / "own.yaml", imported.out);
        const auto before = run_crescendo(folder.path(), {"validate", "sweep.yaml"});
        const auto after = run_crescendo(folder.path(), {"validate", "own.yaml"});
        CHECK_MESSAGE(after.code == before.code, imported.out, after.err);
        if (before.code == 0) {
            CHECK(after.out.substr(after.out.find(':'), after.out.find('\n') - after.out.find(':')) ==
                  before.out.substr(before.out.find(':'), before.out.find('\n') - before.out.find(':')));
        }
    }
}

TEST_CASE("a grid with nested parameters, lists and null runs to its end and reaches the program as in W&B") {
    const TemporaryFolder folder;
    write_file(folder / "train.sh",
               "for word in \"$@\"; do echo \"$word\" >> \"$CRESCENDO_TRIAL_DIR/words\"; done\n"
               "echo '{\"resource\": 1, \"metrics\": {\"loss\": 0.5}}' >&\"$CRESCENDO_FD\"\n"
               "read -r -u \"$CRESCENDO_FD\" _\n");
    write_file(folder / "sweep.yaml", R"(program: train.sh
command: [bash, "${program}", "trial=${trial}", "${args}"]
method: grid
metric: {name: loss}
parameters:
  sizes: {values: [[64, 64], null]}
  optimizer:
    parameters:
      lr: {values: [0.1, 0.01]}
      adam: {parameters: {beta: {value: 0.9}}}
)");

    const auto result = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(result.code == 0, result.err);
    CHECK(result.err.find("note: sweep.yaml:1:1: run_cap: is missing: the grid has 4 points") != std::string::npos);
    std::set<std::string> seen;
    for (int trial = 0; trial < 4; ++trial) {
        const auto directory = folder / "sweep/trials" / ("00000" + std::to_string(trial));
        const auto parameters = nlohmann::json::parse(content_of(directory / "params.json"));
        const auto lr = parameters.at("optimizer").at("lr").dump();
        const bool has_sizes = parameters.at("sizes").is_array();
        CHECK(content_of(directory / "words") ==
              "trial=" + std::to_string(trial) + "\n--sizes=" + (has_sizes ? "[64,64]" : "None") +
                  "\n--optimizer={\"adam\":{\"beta\":0.9},\"lr\":" + lr + "}\n");
        seen.insert(lr + parameters.at("sizes").dump());
    }
    CHECK(seen.size() == 4);
    CHECK(content_of(folder / "sweep/results.csv").find("optimizer.adam.beta") != std::string::npos);
    CHECK_FALSE(fs::exists(folder / "sweep/trials/000004"));
}
