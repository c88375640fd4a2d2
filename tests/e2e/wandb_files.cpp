/// Files of W&B users are accepted unchanged, and run as W&B would run them.

#include <doctest/doctest.h>

#include <algorithm>
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

std::vector<WandbFile> all_wandb_files() {
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

TEST_CASE("95 percent of typical W&B files are valid, also after an import, and each other file has one mistake") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "src");
    for (const char* program : {"train.py", "run.py", "train.sh", "src/train.py"}) {
        write_file(folder / program, "");
    }
    const auto validated = [&](const char* file) { return run_crescendo(folder.path(), {"validate", file}); };
    /// The message about a valid file, such as the number of its trials, without the name of the file.
    const auto summary = [](const Result& valid) {
        return valid.out.substr(valid.out.find(':'), valid.out.find('\n') - valid.out.find(':'));
    };
    const auto files = all_wandb_files();
    int num_valid = 0;

    for (const auto& [what, refused, text] : files) {
        CAPTURE(what);
        write_file(folder / "sweep.yaml", text);
        const auto theirs = validated("sweep.yaml");
        const auto imported = run_crescendo(folder.path(), {"import", "sweep.yaml"});
        CHECK_MESSAGE(theirs.code == (refused.empty() ? 0 : 2), theirs.err);
        if (theirs.code == 2) {
            CHECK_MESSAGE(theirs.err.find(": " + refused + ": ") != std::string::npos, theirs.err);
            CHECK_MESSAGE(theirs.err.find(" mistakes") == std::string::npos, theirs.err);
        }
        num_valid += theirs.code == 0 ? 1 : 0;
        if (!refused.empty() && imported.code == 2) {
            CHECK_MESSAGE(imported.err.find(": " + refused + ": ") != std::string::npos, imported.err);
            continue;
        }
        CHECK_MESSAGE(imported.code == 0, imported.err);
        write_file(folder / "own.yaml", imported.out);
        const auto own = validated("own.yaml");
        CHECK_MESSAGE(own.code == theirs.code, imported.out, own.err);
        if (theirs.code == 0) {
            CHECK(summary(own) == summary(theirs));
        }
    }

    REQUIRE(files.size() == 60);
    CHECK(num_valid * 100 >= 95 * 60);
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

TEST_CASE("a sweep whose file names no metric chooses a metric from its first report, and all commands know it") {
    const TemporaryFolder folder;
    write_file(folder / "train.sh",
               "for r in 1 2 3; do\n"
               "  echo \"{\\\"resource\\\": $r, \\\"metrics\\\": {\\\"time\\\": 1, \\\"val_acc\\\": 0.${1#--x=}$r}}\""
               " >&\"$CRESCENDO_FD\"\n"
               "  read -r -u \"$CRESCENDO_FD\" reply; [[ $reply == *stop* ]] && exit 0\n"
               "done\nexit 0\n");
    write_file(folder / "sweep.yaml",
               "command: [bash, train.sh, \"${args}\"]\nmethod: grid\nslots: 1\n"
               "parameters: {x: {values: [1, 7, 3, 5]}}\n"
               "scheduler: {type: asha, min: 1, max: 3, reduction_factor: 3}\n");

    const auto validated = run_crescendo(folder.path(), {"validate", "sweep.yaml"});
    CHECK_MESSAGE(validated.code == 0, validated.err);
    CHECK(validated.err.find("metric: is missing: the first report decides") != std::string::npos);
    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK_MESSAGE(run.out.find("the sweep maximizes val_acc, chosen from the first report (time, val_acc), because its "
                               "file names no metric") != std::string::npos,
                  run.out);
    const auto best = run_crescendo(folder.path(), {"best", "sweep", "--format", "json"});
    CHECK_MESSAGE(best.json().at("metrics").at("val_acc") == 0.73, best.out);
    const auto trials = run_crescendo(folder.path(), {"trials", "sweep", "--sort", "val_acc", "--format", "json"});
    CHECK_MESSAGE(trials.json().at(0).at("val_acc") == 0.73, trials.out);
    const auto status = run_crescendo(folder.path(), {"status", "sweep", "--format", "json"});
    CHECK_MESSAGE(status.json().at("best").at("val_acc") == 0.73, status.out);
    for (const auto& arguments : std::vector<std::vector<std::string>>{{"top", "sweep", "--plot"},
                                                                       {"list"},
                                                                       {"trial", "sweep", "1"},
                                                                       {"report", "sweep"},
                                                                       {"compare", "sweep"},
                                                                       {"export", "sweep", "--to", "csv"}}) {
        const auto shown = run_crescendo(folder.path(), arguments);
        CHECK_MESSAGE(shown.code == 0, arguments.front(), shown.out, shown.err);
    }
    const auto replayed = run_crescendo(folder.path(), {"simulate", "--replay", "sweep", "--format", "json"});
    CHECK_MESSAGE(replayed.code == 0, replayed.err);
    CHECK(replayed.json().at("differences") == 0);
    CHECK(replayed.json().at("val_acc") == 0.73);
    CHECK(run_crescendo(folder.path(), {"set", "sweep", "budget.target=0.9"}).code == 0);
}

TEST_CASE("a resumed sweep keeps the metric that the first report decided, whatever the next report has") {
    const TemporaryFolder folder;
    write_file(folder / "train.sh",
               "[ -e more ] && more=', \"a_score\": 1'\n"
               "echo \"{\\\"resource\\\": 1, \\\"metrics\\\": {\\\"loss\\\": 0.${1#--x=}$more}}\" >&\"$CRESCENDO_FD\"\n"
               "read -r -u \"$CRESCENDO_FD\" _\n");
    write_file(folder / "sweep.yaml",
               "command: [bash, train.sh, \"${args}\"]\nmethod: random\nrun_cap: 2\nslots: 1\n"
               "parameters: {x: {min: 1, max: 9}}\nscheduler: {type: fifo, max: 1}\n");
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);
    write_file(folder / "more", "");

    const auto extended = run_crescendo(folder.path(), {"set", "sweep", "run_cap=4"});
    const auto resumed = run_crescendo(folder.path(), {"resume", "sweep"});

    CHECK_MESSAGE(extended.code == 0, extended.err);
    REQUIRE_MESSAGE(resumed.code == 0, resumed.err);
    CHECK(resumed.out.find("names no metric") == std::string::npos);
    const auto trials = run_crescendo(folder.path(), {"trials", "sweep", "--format", "json"}).json();
    REQUIRE(trials.size() == 4);
    double least = 1;
    for (const auto& trial : trials) {
        least = std::min(least, trial.at("loss").get<double>());
    }
    const auto best = run_crescendo(folder.path(), {"best", "sweep", "--format", "json"});
    CHECK(best.json().at("metrics").at("loss") == least);
    const auto replayed = run_crescendo(folder.path(), {"simulate", "--replay", "sweep", "--format", "json"});
    REQUIRE_MESSAGE(replayed.code == 0, replayed.err);
    CHECK(replayed.json().at("differences") == 0);
}

TEST_CASE("messages about a missing metric say what is optimized, or which part needs the metric first") {
    const TemporaryFolder folder;
    write_file(folder / "train.py", "");
    const std::string parameters = "parameters: {x: {min: 1, max: 9}}\nrun_cap: 3\n";
    const auto check = [&](const std::string& more, const std::string& expected) {
        write_file(folder / "sweep.yaml", parameters + "program: train.py\n" + more);
        const auto told = run_crescendo(folder.path(), {"validate", "sweep.yaml"}).err;
        CHECK_MESSAGE(told.find(expected) != std::string::npos, told);
    };

    check("report: {pattern: 't=(?P<time>\\d+) acc=(?P<acc>[\\d.]+)'}\n", "metric: is missing: acc is maximized");
    check("report: {pattern: 'epoch (?P<resource>\\d+)'}\n", "report.pattern: has no group other than 'resource'");
    check("budget: {target: 0.1}\n", "metric.name: the metric has no name, but there is a target for it");
    check("sampler: {command: [python3, train.py]}\n",
          "metric: is missing: the sampler needs it before the first report");
    write_file(folder / "sweep.yaml", parameters + "scheduler: {type: asha, max: 9}\n");
    const auto asked = run_crescendo(folder.path(), {"ask-tell", "sweep.yaml"});
    CHECK(asked.code == 2);
    CHECK_MESSAGE(asked.err.find("metric: is missing, but the launcher") != std::string::npos, asked.err);
    CHECK(run_crescendo(folder.path(), {"simulate", "sweep.yaml", "--slots", "2"}).code == 0);
}
