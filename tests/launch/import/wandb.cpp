#include "launch/import/import_formats.hpp"

#include <doctest/doctest.h>

#include "tests/launch/import/import_a_file.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("an imported W&B sweep file states what W&B leaves open") {
    const auto text = imported(R"(program: train.py
project: images
method: random
metric: {name: loss}
early_terminate: {type: hyperband, max_iter: 27, s: 2}
command: [python3, "${program}", "${args}", 007]
parameters:
  lr: {distribution: log_uniform, min: -9, max: 0}
  act: {values: [relu, on]}
  optimizer:
    parameters:
      name: {values: [sgd, adam]}
      decay: {distribution: inv_log_uniform, min: 0, max: 9}
)");

    CHECK(text == R"(# From file.yaml, a W&B sweep file.
# * early_terminate means scheduler: {type: asha, min: 3, max: 27, reduction_factor: 3} here: a trial is complete at 27, but W&B lets it continue; if your program trains longer, write that scheduler with a larger max
# * project: images means nothing here and is left out
name: file
metric: {name: loss, goal: minimize}
method: random
run_cap: 50  # the default here; W&B has none
parameters:
  lr: {distribution: log_uniform_values, min: 0.00012341, max: 1.0}  # was log_uniform with exponents of e from -9 to 0
  act: {values: [relu, on]}
  optimizer:
    parameters:
      name: {values: [sgd, adam]}
      # was inv_log_uniform with exponents of e from 0 to 9
      decay: {distribution: log_uniform_values, min: 0.00012341, max: 1.0}
scheduler: {type: asha, min: 3, max: 27, reduction_factor: 3}  # early_terminate: {type: hyperband, max_iter: 27, s: 2}
program: train.py
command: [python3, "${program}", "${args}", "007"]
)");
}

TEST_CASE("a rule without an end stays unchanged, and a note says how to give it one") {
    const auto text = imported("program: train.py\nmethod: grid\nmetric: {name: acc, goal: maximize}\n"
                               "early_terminate: {type: hyperband, min_iter: 3}\nparameters: {x: {values: [1, 2]}}\n");

    CHECK(contains(text, "run_cap: 2  # the number of grid points\n"));
    CHECK(contains(text, "write scheduler: {type: asha, min: 3, max: END, reduction_factor: 3}\n"));
    CHECK(contains(text, "early_terminate: {type: hyperband, min_iter: 3}\n"));
}

TEST_CASE("a note says which rungs differ from W&B") {
    const auto text = imported(
        "program: train.py\nmethod: random\nmetric: {name: loss}\nearly_terminate: {type: hyperband, max_iter: 50, s: "
        "1}\nparameters: {x: {values: [1, 2]}}\n");

    CHECK(contains(text, "; rungs are at 16, 48, but W&B has them at 16\n"));
}

TEST_CASE("a parameter that contains others keeps its condition") {
    const auto text = imported(R"(program: train.py
metric: {name: loss}
parameters:
  optimizer: {values: [sgd, adam]}
  adam: {when: "optimizer == 'adam'", parameters: {beta1: {min: 0.8, max: 0.9}}}
)");

    CHECK(contains(text, "  adam:\n    when: \"optimizer == 'adam'\"\n    parameters:\n      beta1: "));
    CHECK_FALSE(parse_sweep(text, "sweep.yaml").spec.space.parameters()[1].when.empty());
}

TEST_CASE("a file without a metric stays without one, and a note says how it is chosen") {
    const auto text = imported("program: train.py\nmethod: grid\nparameters: {x: {values: [1, 2]}}\n");

    CHECK(contains(text, "the first report decides which of its numbers is optimized"));
    CHECK_FALSE(contains(text, "\nmetric:"));
}

TEST_CASE("the error for a mistake in the file gives its place") {
    CHECK(contains(import_error("program: train.py\nmetric: {name: loss}\nparameters:\n  x: {min: 3}\n"),
                   "file.yaml:4:3: parameters.x: has no range"));
}
