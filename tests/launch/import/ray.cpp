#include "launch/import/import_formats.hpp"

#include <doctest/doctest.h>

#include "tests/launch/import/import_a_file.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("an experiment under its name becomes a grid if it searches only lists") {
    const auto text = imported(R"(cartpole:
  run: PPO
  env: CartPole-v1
  num_samples: 4
  stop: {training_iteration: 20, episode_reward_mean: 150}
  config:
    framework: torch
    lr: {grid_search: [0.01, 0.001]}
    model: {fcnet: {grid_search: [[64], [64, 64]]}}
)");

    CHECK(contains(text, "name: cartpole\n"));
    CHECK(contains(text, "metric: {name: loss, goal: minimize}  # the file does not name it"));
    CHECK(contains(text, "method: grid\n"));
    CHECK(contains(text, "lr: {values: [0.01, 0.001]}\n"));
    CHECK(contains(text, "      fcnet: {values: [[64], [64, 64]]}\n"));
    CHECK(contains(text, "framework: {value: torch}\n"));
    CHECK(contains(text, "scheduler: {type: fifo, max: 20}"));
    CHECK(contains(text, "# * num_samples: 4 runs each grid point"));
    CHECK(contains(text, "# * stop: episode_reward_mean: 150 is left out"));
    CHECK(contains(text, "# * run: PPO is a Ray class"));
    CHECK(contains(text, "parameters:\n  env: {value: CartPole-v1}\n"));
    CHECK_FALSE(contains(text, "not carried over"));
}

TEST_CASE("environments that RLlib files search outside of config are kept") {
    const auto text = imported(R"(atari:
  run: DQN
  env: {grid_search: [Breakout-v4, Qbert-v4]}
  stop: {time_total_s: 10800, timesteps_total: 1000000}
  config: {lr: 0.01}
)");

    CHECK(contains(text, "method: grid\nparameters:\n  env: {values: [Breakout-v4, Qbert-v4]}\n"));
    CHECK(contains(text, "# * stop: time_total_s: 10800 is left out; write trial_time: 10800s\n"));
    CHECK(contains(text, "# * stop: timesteps_total: 1000000 is left out; use trial: {target: …}"));
}

TEST_CASE("tune functions written as text are read") {
    const auto text = imported(R"yaml(param_space:
  a: tune.uniform(0, 1)
  b: tune.loguniform(1e-4, 1e-1)
  c: tune.quniform(0, 1, 0.25)
  d: tune.randint(1, 9)
  e: "tune.choice(['x', None, True])"
  f: tune.randn(0, 2)
  g: tune.qrandint(2, 8, 2)
  h: "tune.sample_from(lambda spec: 1)"
  i: uniformly (not)
  j: tune.unifrom(0, 1)
tune_config:
  {metric: acc, mode: max, num_samples: 8, scheduler: {type: asha, max_t: 81, grace_period: 3, reduction_factor: 3}}
)yaml");

    CHECK(contains(text, "metric: {name: acc, goal: maximize}\nrun_cap: 8\n"));
    CHECK(contains(text, "a: {distribution: uniform, min: 0.0, max: 1.0}\n"));
    CHECK(contains(text, "b: {distribution: log_uniform_values, min: 0.0001, max: 0.1}\n"));
    CHECK(contains(text, "c: {distribution: q_uniform, min: 0.0, max: 1.0, q: 0.25}\n"));
    CHECK(contains(text, "d: {min: 1, max: 8}\n"));
    CHECK(contains(text, "e: {values: [x, null, true]}\n"));
    CHECK(contains(text, "f: {distribution: normal, mu: 0.0, sigma: 2.0}\n"));
    CHECK(contains(text, "g: {values: [2, 4, 6, 8]}\n"));
    CHECK(contains(text, "# is computed in Python"));
    CHECK(contains(text, "i: {value: \"uniformly (not)\"}\n"));
    CHECK(contains(text, "# unknown function: tune.unifrom(0, 1) is kept as text"));
    CHECK(contains(text, "scheduler: {type: asha, min: 3, max: 81, reduction_factor: 3, rule: percentile}"));
}

TEST_CASE("whole numbers in steps are multiples of the step") {
    const auto text = imported(R"yaml(config:
  a: tune.qrandint(1, 10, 4)
  b: tune.qrandint(-7, 7, 3)
  c: tune.qrandint(5, 6, 1)
)yaml");

    CHECK(contains(text, "a: {values: [4, 8]}\n"));
    CHECK(contains(text, "b: {values: [-6, -3, 0, 3, 6]}\n"));
    CHECK(contains(text, "c: {min: 5, max: 6}\n"));
    for (const std::string none :
         {"1, 3, 4", "1, 9, 0", "9223372036854774784, 9223372036854774784, 4611686018427387904"}) {
        CHECK(contains(import_error("config: {x: \"tune.qrandint(" + none + ")\"}\n"), "cannot be read"));
    }
}

TEST_CASE("texts in a list stay unchanged, whatever Python words and brackets they contain") {
    const auto text = imported(R"yaml(config:
  a: "tune.choice(['None', 'True love', 'f(x)', None, \"it's\"])"
  b: tune.choice([(1, 2), (3,), ])
  c: tune.uniform(.5, 1_000.)
  d: tune.loguniform(1E-05, 1e-1)
  e: "tune.choice([{'step': 40, 'gamma': .9,}, None])"
)yaml");

    CHECK(contains(text, "a: {values: [None, \"True love\", \"f(x)\", null, \"it's\"]}\n"));
    CHECK(contains(text, "b: {values: [[1, 2], [3]]}\n"));
    CHECK(contains(text, "c: {distribution: uniform, min: 0.5, max: 1000.0}\n"));
    CHECK(contains(text, "d: {distribution: log_uniform_values, min: 1e-05, max: 0.1}\n"));
    CHECK(contains(text, "e: {values: [{step: 40, gamma: 0.9}, null]}\n"));
}

TEST_CASE("a nested parameter has a comment about anything that cannot be carried over") {
    const auto text = imported(R"yaml(param_space:
  model:
    lr: "tune.sample_from(lambda spec: 1)"
    wd: tune.truncnorm(0, 1)
    width: tune.qrandint(1, 100000, 3)
)yaml");

    CHECK(contains(text, "# is computed in Python"));
    CHECK(contains(text, "# unknown function: tune.truncnorm(0, 1) is kept as text"));
    CHECK(contains(text, "# was in steps of 3; now in steps of 1"));
}

TEST_CASE("notes name a scheduler other than ASHA and search settings that are not carried over") {
    const auto of = [](const std::string& tune_config) {
        return imported("param_space: {x: \"tune.uniform(0, 1)\"}\ntune_config: {" + tune_config + "}\n");
    };

    const auto text_only = of("scheduler: \"ASHAScheduler(max_t=100)\", search_alg: optuna, time_budget_s: 60");
    CHECK(contains(text_only, "# * scheduler: \"ASHAScheduler(max_t=100)\" is not carried over; to stop trials"));
    CHECK(contains(text_only, "# * not carried over: tune_config.search_alg, tune_config.time_budget_s\n"));
    CHECK(contains(of("scheduler: {type: async_hyperband, grace_period: 5}"), "is not carried over"));
    const auto population = of("scheduler: {type: pbt, max_t: 100}");
    CHECK(contains(population, "# * scheduler: {type: pbt, max_t: 100} is not carried over"));
    CHECK(contains(population, "scheduler: {type: fifo, max: 100}  # scheduler: max_t\n"));
    for (const char* fifo : {"fifo", "{type: fifo}", "FIFOScheduler()"}) {
        CHECK_FALSE(contains(of(std::string("scheduler: ") + fifo), "not carried over"));
    }
}

TEST_CASE("metric and mode may be given in the scheduler") {
    const auto text = imported(
        "param_space: {x: \"tune.uniform(0, 1)\"}\n"
        "tune_config: {scheduler: {type: asha, metric: acc, mode: max, max_t: 27}}\n");

    CHECK(contains(text, "metric: {name: acc, goal: maximize}\n"));
}

TEST_CASE("a trial ends at the smaller of max_t and stop, and a max_t in another unit does not count") {
    const auto of = [](const std::string& scheduler, const std::string& stop) {
        return imported("param_space: {x: \"tune.uniform(0, 1)\"}\ntune_config: {scheduler: {" + scheduler +
                        "}}\nstop: {" + stop + "}\n");
    };

    const auto stopped = of("type: asha, max_t: 100, grace_period: 5", "training_iteration: 20");
    CHECK(contains(stopped, "scheduler: {type: asha, min: 5, max: 20, "));
    CHECK(contains(stopped, "; stop: training_iteration ends a trial\n"));
    CHECK(contains(of("type: asha, max_t: 20", "training_iteration: 100"),
                   "max: 20, reduction_factor: 4, rule: "
                   "percentile}"));
    CHECK(contains(of("type: asha, max_t: 100, grace_period: 30", "training_iteration: 20"), "min: 20, max: 20, "));
    CHECK(contains(of("type: pbt, max_t: 100", "training_iteration: 20"),
                   "scheduler: {type: fifo, max: 20}  # stop: training_iteration\n"));
    const auto timed = of("type: asha, time_attr: time_total_s, max_t: 3600", "training_iteration: 20");
    CHECK(contains(timed, "# * scheduler: {type: asha, time_attr: time_total_s, max_t: 3600} is not carried over"));
    CHECK(contains(timed, "scheduler: {type: fifo, max: 20}  # stop: training_iteration\n"));
    CHECK_FALSE(contains(of("type: asha, time_attr: time_total_s, max_t: 3600", ""), "\nscheduler:"));
}

TEST_CASE("only the first of several experiments is imported, and notes name the others") {
    const auto text = imported(
        "small: {config: {x: \"tune.uniform(0, 1)\"}}\n"
        "large: {config: {x: \"tune.uniform(0, 9)\"}}\n");

    CHECK(contains(text, "name: small\n"));
    CHECK(contains(text, "# * the experiment large is left out; put it in a file of its own\n"));
    CHECK_FALSE(contains(text, "the experiment small"));
}

TEST_CASE("a grid together with sampled parameters gets the number of trials that Ray would run") {
    const auto text = imported(R"yaml(param_space:
  a: {grid_search: [1, 2, 3]}
  b: tune.grid_search([True, False])
  c: tune.loguniform(1e-4, 1e-1)
tune_config: {num_samples: 10}
)yaml");

    CHECK(contains(text, "run_cap: 60\n"));
    CHECK(contains(text, "grid_search lists are sampled at random, because other parameters are; run_cap is"));
    const auto endless = imported(
        "param_space: {a: {grid_search: [1, 2]}, b: \"tune.uniform(0, 1)\"}\n"
        "tune_config: {num_samples: -1}\n");
    CHECK_FALSE(contains(endless, "run_cap"));
}

TEST_CASE("the error for a function with unreadable arguments quotes the function") {
    CHECK(contains(import_error("config: {x: \"tune.choice(['a)\"}\n"), "cannot be read"));
    CHECK(contains(import_error("config: {x: \"tune.choice([2 ** i for i in range(9)])\"}\n"),
                   "cannot be read; write out its values, in quotes: \"tune.choice([16, 32, 64])\""));
    CHECK(contains(import_error("config: {x: \"tune.randint(0, 1e20)\"}\n"), "cannot be read"));
    CHECK(contains(import_error("config: {x: \"tune.uniform(lower=0, upper=1)\"}\n"), "cannot be read"));
    CHECK(contains(import_error("config: {x: tune.uniform(low)}\n"), "file.yaml: x: tune.uniform(low) cannot be read"));
}

TEST_CASE("a call that YAML cut at its comma is an error, not a text for every trial") {
    CHECK(contains(
        import_error("param_space: {lr: tune.loguniform(1e-4, 1e-1), bs: 32}\n"),
        "lr: tune.loguniform(1e-4 cannot be read; write out its numbers, in quotes: \"tune.uniform(0.1, 0.9)\""));
}

TEST_CASE("a search space alone is an experiment") {
    const auto text = imported(R"yaml(width: tune.choice([32, 64])
optim: {lr: "tune.loguniform(1e-5, 0.1)"}
)yaml");

    CHECK(contains(text,
                   "parameters:\n  width: {values: [32, 64]}\n  optim:\n    parameters:\n      lr: {distribution: "));
    CHECK(contains(import_error("width: 32\n"), "is not a file of a known tool"));
}

TEST_CASE("name and stop may be given in run_config, and a note names its other settings") {
    const auto text = imported(
        "param_space: {x: \"tune.uniform(0, 1)\"}\n"
        "run_config: {name: a/b, stop: {training_iteration: 20}, storage_path: /tmp}\n");

    CHECK(contains(text, "name: a-b\n"));
    CHECK(contains(text, "scheduler: {type: fifo, max: 20}  # stop: training_iteration\n"));
    CHECK(contains(text, "# * not carried over: run_config.storage_path\n"));
}

TEST_CASE("a normal distribution without numbers is the standard one") {
    const auto text = imported("config: {a: tune.randn(), b: tune.randn(3)}\n");

    CHECK(contains(text, "a: {distribution: normal, mu: 0.0, sigma: 1.0}\n"));
    CHECK(contains(text, "b: {distribution: normal, mu: 3.0, sigma: 1.0}\n"));
}

TEST_CASE("a length that is no 64-bit number is not taken for another one") {
    const auto text = imported("config: {x: \"tune.uniform(0, 1)\"}\nscheduler: {type: asha, max_t: 1e300}\n");

    CHECK(contains(text, "scheduler: {type: asha, max_t: 1e+300} is not carried over"));
}
