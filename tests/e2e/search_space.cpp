/// Sweeps over a search space with conditions, constraints and derived parameters, with the real binary.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "tests/e2e/command.hpp"

using namespace crescendo::tests;

namespace {

const std::string conditional_sweep = R"(metric: {name: loss}
run_cap: 24
seed: 5
parameters:
  optimizer: {values: [sgd, adam]}
  momentum: {min: 0.5, max: 0.99, when: optimizer == "sgd"}
  nesterov: {values: [true, false], when: momentum > 0.8}
  width: {min: 1, max: 16}
  depth: {min: 1, max: 8}
  area: {expression: width * depth}
constraints: [area <= 32]
scheduler: {type: asha, min: 1, max: 2, reduction_factor: 2}
)";

/// Writes its arguments, and reports twice.
const std::string noting_script = R"(echo "$*" > "$CRESCENDO_TRIAL_DIR/arguments"
for resource in 1 2; do
  echo "{\"resource\":$resource,\"metrics\":{\"loss\":$(( CRESCENDO_TRIAL + resource ))}}" >&$CRESCENDO_FD
  read -r reply <&$CRESCENDO_FD
  case $reply in *stop*) exit;; esac
done
)";

struct SweepFolder : TemporaryFolder {
    explicit SweepFolder(const std::string& file) {
        write_file(*this / "sweep.yaml", file);
        write_file(*this / "train.sh", noting_script);
    }
};

const std::string with_arguments = "command: [bash, train.sh, \"${args}\"]\n";

/// Checks that a configuration follows the rules of the sweep.
void check_rules(const Json& config) {
    const bool has_momentum = config["optimizer"] == "sgd";
    CHECK(config.contains("momentum") == has_momentum);
    CHECK(config.contains("nesterov") == (has_momentum && config["momentum"] > 0.8));
    CHECK(config["area"] == config["width"].get<int>() * config["depth"].get<int>());
    CHECK(config["area"] <= 32);
}

}  // namespace

TEST_CASE("inactive parameters are absent from the journal, the arguments, the files and the tables") {
    const SweepFolder folder(conditional_sweep + with_arguments);

    const auto result = run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", "out", "--slots", "2"});

    REQUIRE_MESSAGE(result.code == 0, result.err);
    int proposed = 0;
    int with_momentum = 0;
    for (const auto& record : journal_of(folder / "out")) {
        if (record.value("event", "") != "trial_proposed") {
            continue;
        }
        ++proposed;
        const auto& config = record["config"];
        check_rules(config);
        with_momentum += config.contains("momentum");
        char name[7];
        std::snprintf(name, sizeof name, "%06d", record["trial"].get<int>());
        const auto trial = folder / "out/trials" / name;
        CHECK(Json::parse(content_of(trial / "params.json")) == config);
        const auto arguments = content_of(trial / "arguments");
        CHECK((arguments.find("--momentum=") != std::string::npos) == config.contains("momentum"));
        CHECK((arguments.find("--nesterov=") != std::string::npos) == config.contains("nesterov"));
        CHECK(arguments.find("--area=" + config["area"].dump()) != std::string::npos);
    }
    CHECK(proposed == 24);
    CHECK(with_momentum > 0);
    CHECK(with_momentum < 24);
    const auto trials = run_crescendo(folder.path(), {"trials", "out", "--format", "json"}).json();
    REQUIRE(trials.size() == 24);
    for (const auto& trial : trials) {
        CHECK(trial["momentum"].is_null() == (trial["optimizer"] == "adam"));
        CHECK(trial["area"] == trial["width"].get<int>() * trial["depth"].get<int>());
    }
    CHECK(run_crescendo(folder.path(), {"best", "out"}).code == 0);
    CHECK(run_crescendo(folder.path(), {"simulate", "--replay", "out", "--format", "json"}).json()["differences"] == 0);
}

TEST_CASE("a trial has a group only if the condition of the group holds") {
    const SweepFolder folder(R"(metric: {name: loss}
run_cap: 6
parameters:
  optimizer: {values: [sgd, adam]}
  sgd:
    when: optimizer == "sgd"
    parameters:
      momentum: {min: 0.5, max: 0.99}
      nesterov: {values: [true, false], when: sgd.momentum > 0.8}
scheduler: {type: fifo, max: 2}
)" + with_arguments);

    const auto result = run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", "out", "--slots", "2"});

    REQUIRE_MESSAGE(result.code == 0, result.err);
    int with_group = 0;
    for (int trial = 0; trial < 6; ++trial) {
        const auto path = folder / "out/trials" / ("00000" + std::to_string(trial));
        const auto parameters = Json::parse(content_of(path / "params.json"));
        const bool is_there = parameters["optimizer"] == "sgd";
        with_group += is_there;
        CHECK(parameters.contains("sgd") == is_there);
        CHECK((content_of(path / "arguments").find("--sgd=") != std::string::npos) == is_there);
    }
    CHECK(with_group > 0);
    CHECK(with_group < 6);
}

TEST_CASE("every sampler follows the rules, and a replay makes the same decisions") {
    for (const std::string sampler : {"sobol", "tpe"}) {
        CAPTURE(sampler);
        const SweepFolder folder("method: " + sampler + "\n" + conditional_sweep + with_arguments);

        const auto result = run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", "out", "--slots", "2"});

        REQUIRE_MESSAGE(result.code == 0, result.err);
        for (const auto& record : journal_of(folder / "out")) {
            if (record.value("event", "") == "trial_proposed") {
                check_rules(record["config"]);
            }
        }
        const auto replay = run_crescendo(folder.path(), {"simulate", "--replay", "out", "--format", "json"});
        CHECK(replay.json()["differences"] == 0);
    }
}

TEST_CASE("a resumed and extended sweep with rules has the same draws as a longer sweep") {
    const SweepFolder whole(conditional_sweep + with_arguments);
    auto text = conditional_sweep + with_arguments;
    const SweepFolder folder(text.replace(text.find("24"), 2, "8"));
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", "out", "--slots", "2"}).code == 0);

    const auto resumed = run_crescendo(folder.path(), {"resume", "out", "--run-cap", "24"});

    REQUIRE_MESSAGE(resumed.code == 0, resumed.err);
    REQUIRE(run_crescendo(whole.path(), {"run", "sweep.yaml", "--dir", "out", "--slots", "2"}).code == 0);
    const auto configs = [](const SweepFolder& of) {
        std::map<int, Json> all;
        for (const auto& record : journal_of(of / "out")) {
            if (record.value("event", "") == "trial_proposed") {
                all.emplace(record["trial"].get<int>(), record["config"]);
            }
        }
        return all;
    };
    CHECK(configs(folder).size() == 24);
    CHECK(configs(folder) == configs(whole));
}

TEST_CASE("validate says on one line that constraints refuse nothing") {
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml",
               "metric: {name: loss}\nrun_cap: 3\nparameters: {x: {min: 0.0, max: 1.0}}\nconstraints: [x <= 1]\n"
               "scheduler: {type: fifo, max: 1}\ncommand: [\"true\", \"${args}\"]\n");

    const auto result = run_crescendo(folder.path(), {"validate", "sweep.yaml"});

    CHECK(result.out == "sweep.yaml: valid; 1 parameter, metric loss, 3 trials\nconstraints refuse none of 1000 draws\n");
}

TEST_CASE("validate shows draws, and how many the constraints refuse") {
    const SweepFolder folder(conditional_sweep + with_arguments);

    const auto result = run_crescendo(folder.path(), {"validate", "sweep.yaml", "--sample", "12"});

    REQUIRE_MESSAGE(result.code == 0, result.err);
    CHECK(result.out.find("sweep.yaml: valid; 6 parameters, metric loss, 24 trials\nconstraints refuse ") == 0);
    CHECK(result.out.find(" % of 1000 draws, which are drawn again:\n  ") != std::string::npos);
    CHECK(result.out.find(" %  area <= 32\n") != std::string::npos);
    CHECK(std::ranges::count(result.out, '\n') >= 3 + 12);
    CHECK(result.out.find("adam") != std::string::npos);
}

TEST_CASE("validate shows no more draws than there are trials, and says that a sampler learns") {
    const SweepFolder folder("method: tpe\n" + conditional_sweep + with_arguments);

    const auto result = run_crescendo(folder.path(), {"validate", "sweep.yaml", "--sample", "100"});

    REQUIRE_MESSAGE(result.code == 0, result.err);
    CHECK(result.out.find("\n   23 ") != std::string::npos);
    CHECK(result.out.find("\n   24 ") == std::string::npos);
    CHECK(result.err.find("note: tpe learns from results") != std::string::npos);
}

TEST_CASE("validate shows as many trials as asked for if they are repetitions, too") {
    const SweepFolder folder(
        "metric: {name: loss}\nrun_cap: 3\nrepeat: 3\nparameters: {x: {min: 0.0, max: 1.0}}\n"
        "scheduler: {type: fifo, max: 1}\n" +
        with_arguments);
    const auto num_rows = [&](const char* asked) {
        const auto result = run_crescendo(folder.path(), {"validate", "sweep.yaml", "--sample", asked});
        CHECK_MESSAGE(result.code == 0, result.err);
        return std::ranges::count(result.out, '\n') - 2;  // without the first line and the heading
    };

    CHECK(num_rows("4") == 4);
    CHECK(num_rows("7") == 7);
    CHECK(num_rows("100") == 9);
}

TEST_CASE("validate counts the configurations of a grid") {
    const SweepFolder folder("method: grid\n" + conditional_sweep.substr(0, conditional_sweep.find("  momentum")) +
                             "  layers: {min: 1, max: 3, when: optimizer == \"sgd\"}\n"
                             "  width: {values: [8, 16]}\n"
                             "scheduler: {type: asha, min: 1, max: 2, reduction_factor: 2}\n" +
                             with_arguments);

    const auto result = run_crescendo(folder.path(), {"validate", "sweep.yaml"});

    REQUIRE_MESSAGE(result.code == 0, result.err);
    CHECK(result.out.find("a grid of 8 configurations\n") != std::string::npos);  // (3 of sgd + 1 of adam) * 2
}
