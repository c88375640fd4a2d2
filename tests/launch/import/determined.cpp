#include "launch/import/import_formats.hpp"

#include <doctest/doctest.h>

#include "tests/launch/import/import_a_file.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("an adaptive search of Determined becomes one bracket of ASHA") {
    const auto text = imported(R"(name: group/mnist
entrypoint: python3 train.py --fast
environment: {image: x}
resources: {slots_per_trial: 2}
max_restarts: 3
hyperparameters:
  batch: 64
  lr: {type: log, base: 10, minval: -5, maxval: -1}
  optimizer:
    momentum: {type: double, minval: 0, maxval: 0.9}
    name: {type: categorical, vals: [sgd, adam]}
  layers: {type: int, minval: 1, maxval: 4}
searcher:
  name: adaptive_asha
  metric: accuracy
  smaller_is_better: false
  max_length: {epochs: 64}
  max_trials: 16
  max_rungs: 3
)");

    CHECK(text == R"(# From file.yaml, a Determined experiment configuration.
# * searcher.mode: standard runs several brackets in Determined, but one here; to run all, use type: async_hyperband
# * not carried over: environment
name: group-mnist
metric: {name: accuracy, goal: maximize}
run_cap: 16
parameters:
  batch: {value: 64}
  lr: {distribution: log_uniform_values, min: 1e-05, max: 0.1}
  optimizer:
    parameters:
      momentum: {distribution: uniform, min: 0.0, max: 0.9}
      name: {values: [sgd, adam]}
  layers: {min: 1, max: 4}
# searcher: adaptive_asha; reports count epochs
scheduler: {type: asha, min: 4, max: 64, reduction_factor: 4, resource: epochs, workers: 2}
# Determined passes hyperparameters through its library; here they are arguments
command: [python3, train.py, "--fast", "${args}"]
max_retries: 3
)");
}

TEST_CASE("a grid from Determined has the number of values that each count gives") {
    const auto text = imported(
        "entrypoint: model_def:Trial\n"
        "searcher: {name: grid, metric: loss, max_length: {batches: 100}}\n"
        "hyperparameters:\n  a: {type: double, minval: 0, maxval: 1, count: 3}\n"
        "  b: {type: log, minval: -2, maxval: 0, count: 3}\n  c: {type: const, val: 7}\n"
        "  d: {type: int, minval: 1, maxval: 9, count: 1}\n");

    CHECK(contains(text, "method: grid\n"));
    CHECK(contains(text, "a: {values: [0.0, 0.5, 1.0]}\n"));
    CHECK(contains(text, "b: {values: [0.01, 0.1, 1.0]}\n"));
    CHECK(contains(text, "c: {value: 7}\n"));
    CHECK(contains(text, "d: {values: [5]}\n"));
    CHECK(contains(text, "type: fifo, max: 100, resource: steps"));
    CHECK(contains(text, "entrypoint: \"model_def:Trial\" names a Determined class"));
}

TEST_CASE("the error for a range without an end names the range") {
    CHECK(contains(import_error("searcher: {name: random, metric: loss, max_length: 9}\n"
                                "hyperparameters: {a: {b: {type: int, minval: 1}}}\n"),
                   "file.yaml: hyperparameters.a.b has no maxval"));
}

TEST_CASE("whole numbers from Determined are exact, and numbers beyond 64 bits are refused") {
    const std::string begin = "searcher: {metric: loss, max_length: {batches: 9}, name: ";
    const std::string random = begin + "random}\nhyperparameters:\n";
    const std::string grid = begin + "grid}\nhyperparameters:\n";

    CHECK(contains(imported(random + "  a: {type: int, minval: 0, maxval: 9007199254740993}\n"),
                   "a: {min: 0, max: 9007199254740993}\n"));
    CHECK(contains(imported(grid + "  a: {type: int, minval: 0, maxval: 9223372036854775807, count: 2}\n"),
                   "a: {values: [0, 9223372036854775807]}\n"));
    CHECK(contains(import_error(random + "  a: {type: int, minval: -1.0e+30, maxval: 1}\n"),
                   "file.yaml: hyperparameters.a.minval is -1e+30, which does not fit in a 64-bit integer"));
}

TEST_CASE("a Determined search without a length is valid, since from 0.38 on the program decides when a trial ends") {
    const std::string rest =
        "hyperparameters: {lr: {type: double, minval: 0.1, maxval: 1}}\nresources: {slots_per_trial: "
        "2}\nentrypoint: python3 train.py\n";

    const auto text = imported("searcher: {name: random, metric: loss, max_trials: 4}\n" + rest);

    CHECK(
        contains(text, "a trial ends when its program does; to keep {workers: 2}, add them to scheduler: {type: fifo"));
    CHECK_FALSE(contains(text, "\nscheduler:"));
    CHECK(contains(import_error("searcher: {name: adaptive_asha, metric: loss, max_trials: 4}\n" + rest),
                   "file.yaml: searcher has no max_time, which sets the rungs of adaptive_asha"));
    CHECK(contains(imported("searcher: {name: async_halving, metric: loss, max_time: 64, num_rungs: 2}\n" + rest),
                   "scheduler: {type: asha, min: 16, max: 64,"));
}

TEST_CASE("a Determined launcher is left out, because it does not exist elsewhere") {
    const auto of = [](const std::string& entrypoint) {
        return imported(
            "searcher: {name: single, metric: loss}\nhyperparameters: {lr: 0.1}\nentrypoint: " + entrypoint + "\n");
    };

    CHECK(contains(of("python3 -m determined.launch.torch_distributed -- python3 train.py --fast"),
                   "command: [python3, train.py, \"--fast\", \"${args}\"]\n"));
    CHECK(contains(of("[python, -m, determined.launch.deepspeed, python, tune.py]"),
                   "command: [python, tune.py, \"${args}\"]"));
    const auto of_class = of("python3 -m determined.launch.torch_distributed --trial model_def:MyTrial");
    CHECK(contains(of_class, "names a Determined class; add program:"));
    CHECK_FALSE(contains(of_class, "\ncommand:"));
}

TEST_CASE("an adaptive search has no more rungs than its trials reach, as in Determined") {
    const auto of = [](const std::string& searcher) {
        return imported(
            "hyperparameters: {lr: 0.1}\nentrypoint: python3 train.py\nsearcher: {metric: loss, max_length: "
            "{batches: 937}, " +
            searcher + "}\n");
    };

    CHECK(
        contains(of("name: adaptive_asha, max_trials: 16"), "scheduler: {type: asha, min: 58, max: 937,"));  // 3 rungs
    CHECK(contains(of("name: adaptive_asha, max_trials: 6"), "scheduler: {type: asha, min: 234, max: 937,"));
    CHECK(contains(of("name: adaptive_asha, max_trials: 1000"), "scheduler: {type: asha, min: 3, max: 937,"));
    CHECK(contains(of("name: async_halving, num_rungs: 3, max_trials: 2"), "{type: asha, min: 58, max: 937,"));
    CHECK(contains(of("name: adaptive_asha, max_trials: 16, mode: standard"), "runs several brackets in Determined"));
    CHECK_FALSE(contains(of("name: adaptive_asha, max_trials: 16, mode: aggressive"), "brackets"));
}

TEST_CASE("an experiment's configuration can be read as Determined shows it, with nulls and defaults") {
    const auto text = imported(R"(name: shown
entrypoint: python3 train.py
hyperparameters: {lr: {type: const, val: 0.1}}
bind_mounts: []
slurm: {}
resources: {devices: [], is_single_node: null, max_slots: 8, slots_per_trial: 2}
searcher:
  {name: random, metric: loss, max_trials: 4, max_length: {epochs: 9}, max_time: null, time_metric: null,
   source_trial_id: 17, source_checkpoint_uuid: null, stop_once: false, smaller_is_better: true}
)");

    CHECK(contains(text, "scheduler: {type: fifo, max: 9, resource: epochs, workers: 2}"));
    CHECK(contains(text, "# * not carried over: searcher.source_trial_id, resources.max_slots\n"));
}

TEST_CASE("a grid from Determined with a count that would fill the memory is refused") {
    CHECK(contains(import_error("searcher: {name: grid, metric: loss}\nhyperparameters:\n"
                                "  a: {type: double, minval: 0, maxval: 1, count: 1000000000000}\n"),
                   "hyperparameters.a.count is 1000000000000; use a number from 1 to 1000000"));
}
