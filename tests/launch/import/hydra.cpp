#include "launch/import/import_formats.hpp"

#include <doctest/doctest.h>

#include "tests/launch/import/import_a_file.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("a search of Hydra's Optuna sweeper keeps its ranges, sampler, seed and trials") {
    const auto text = imported(R"yaml(# @package _global_
defaults:
  - override /hydra/sweeper: optuna
optimized_metric: "val/acc_best"
hydra:
  mode: MULTIRUN
  sweeper:
    _target_: hydra_plugins.hydra_optuna_sweeper.optuna_sweeper.OptunaSweeper
    storage: null
    study_name: mnist
    n_jobs: 1
    direction: maximize
    n_trials: 30
    sampler: {_target_: optuna.samplers.RandomSampler, seed: 1234, n_startup_trials: 10}
    params:
      model.optimizer.lr: tag(log, interval(1e-4, 0.1))
      model.dropout: interval(0, 1)
      model.net.width: int(interval(8, 64))
      model.depth: range(1, 4)
      model.decay: range(0.0, 0.5, step=0.25)
      data.batch_size: choice(32, 64)
      +model.act: relu, 'leaky, relu', null
      model.layers: choice([64], [64, 64])
      trainer.max_epochs: 9
    max_failure_rate: 0.5
)yaml");

    CHECK(contains(
        text, "name: mnist\nmetric: {name: val/acc_best, goal: maximize}\nmethod: random\nrun_cap: 30\nseed: 1234\n"));
    CHECK(contains(text, "  model.optimizer.lr: {distribution: log_uniform_values, min: 0.0001, max: 0.1}\n"));
    CHECK(contains(text, "  model.dropout: {distribution: uniform, min: 0.0, max: 1.0}\n"));
    CHECK(contains(text, "  model.net.width: {min: 8, max: 64}\n"));
    CHECK(contains(text, "  model.depth: {min: 1, max: 4}\n"));  // Optuna's sweeper includes the end
    CHECK(contains(text, "  model.decay: {values: [0.0, 0.25, 0.5]}\n"));
    CHECK(contains(text, "  data.batch_size: {values: [32, 64]}\n"));
    CHECK(contains(text, "  \"+model.act\": {values: [relu, \"leaky, relu\", null]}\n"));
    CHECK(contains(text, "  model.layers: {values: [[64], [64, 64]]}\n"));
    CHECK(contains(text, "  trainer.max_epochs: {value: 9}\n"));
    CHECK(contains(text, "command: [python3, train.py, \"hydra.run.dir=${trial_dir}\", \"${args_no_hyphens}\"]"));
    CHECK(contains(text, "# * not carried over: hydra.sweeper.max_failure_rate\n"));
}

TEST_CASE("a sampler from Hydra's defaults is kept, and a comment names an unknown sampler") {
    const std::string params = "hydra: {sweeper: {params: {x: 'choice(1, 2)'}";
    const auto with = [&](const std::string& defaults) {
        return imported("defaults:\n  - override hydra/sweeper: optuna\n" + defaults + params + "}}\n");
    };

    CHECK(contains(with("  - override hydra/sweeper/sampler: cmaes\n"), "method: cmaes\nrun_cap: 20\n"));
    CHECK(contains(with("  - override hydra/sweeper/sampler: nsgaii\n"), "method: tpe  # was nsgaii\nrun_cap: 20\n"));
    CHECK(contains(with("  - _self_\n"), "method: tpe\nrun_cap: 20\n"));
    CHECK(contains(with("  - _self_\n"),
                   "metric: {name: value, goal: minimize}  # Hydra uses the script's return value"));
}

TEST_CASE("references to other keys in a Hydra file are not carried over as text") {
    const auto text = imported(R"yaml(optimized_metric: ${monitor}
hydra:
  sweeper:
    _target_: hydra_plugins.hydra_optuna_sweeper.optuna_sweeper.OptunaSweeper
    study_name: ${experiment.name}
    direction: ${mode}
    params: {lr: "interval(0.1, 1)"}
)yaml");

    CHECK_FALSE(contains(text, "name: ${"));
    CHECK(contains(text, "metric: {name: value, goal: minimize}  # Hydra uses the script's return value"));
    CHECK(contains(text, "# * direction: \"${mode}\" is not known; correct the goal of metric\n"));
}

TEST_CASE("Hydra's own sweeper becomes a grid, and its ranges end before their stop") {
    const auto text = imported(R"yaml(hydra:
  sweeper:
    params:
      model: cnn,mlp
      depth: range(1, 4)
      width: range(0, 1, 0.25)
      seed: range(3)
)yaml");

    CHECK(contains(text, "method: grid\n"));
    CHECK_FALSE(contains(text, "run_cap"));
    CHECK(contains(text, "  model: {values: [cnn, mlp]}\n"));
    CHECK(contains(text, "  depth: {min: 1, max: 3}\n"));
    CHECK(contains(text, "  width: {values: [0.0, 0.25, 0.5, 0.75]}\n"));
    CHECK(contains(text, "  seed: {min: 0, max: 2}\n"));
}

TEST_CASE("an older Hydra's search space in its own file is read as an Optuna search space") {
    const auto text = imported(R"yaml(_target_: hydra_plugins.hydra_optuna_sweeper.optuna_sweeper.OptunaSweeper
direction: [minimize, maximize]
search_space:
  x: {type: float, low: 1e-4, high: 1e-1, log: true}
  y: {type: int, low: 2, high: 8, step: 2}
  z: {type: categorical, choices: [a, b]}
)yaml");

    CHECK(contains(text, "  x: {distribution: log_uniform_values, min: 0.0001, max: 0.1}\n"));
    CHECK(contains(text, "  y: {values: [2, 4, 6, 8]}\n"));
    CHECK(contains(text, "  z: {values: [a, b]}\n"));
    CHECK(contains(text, "# * there are 2 objectives; a sweep has one, so only the first is kept\n"));
}

TEST_CASE("the syntax of other Hydra sweepers is refused, and the error names the parameter") {
    for (const std::string value : {"uniform(0, 1)", "interval(a, b)", "glob(*)", "range(9, 1, -1)", "choice('a)",
                                    "{init: 0.02, step: 2.0}", "interval(1)", "99999999999999999999"}) {
        CAPTURE(value);
        CHECK(contains(
            import_error("hydra: {sweeper: {params: {lr: " + (value[0] == '{' ? value : "\"" + value + "\"") + "}}}\n"),
            "lr: "));
    }
    CHECK(contains(import_error("hydra: {sweeper: {params: {lr: 'uniform(0, 1)'}}}"),
                   "file.yaml: lr: \"uniform(0, 1)\" cannot be read; use the syntax of Hydra's Optuna sweeper"));
}
