#include "launch/sweep_file/check/checks.hpp"

#include <doctest/doctest.h>

#include "tests/error_of.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

/// The problem with the macros of `command` in a search of these parameters.
std::string problem_of(const std::string& command, const std::string& parameters, const std::string& more = "") {
    const auto file = parse_sweep(
        "metric: {name: loss}\nrun_cap: 9\ncommand: " + command + "\nparameters:\n" + parameters + more, "sweep.yaml");
    Mistakes mistakes;
    check_macros_of_parameters(file, mistakes);
    return mistakes.empty() ? "" : tests::error_of([&] { mistakes.throw_if_any(file.source); });
}

}  // namespace

TEST_CASE("a word of the command must not name a group that some trials lack") {
    const std::string optimizers = "  optimizer: {values: [sgd, adam]}\n";
    const std::string adam =
        optimizers + "  adam: {when: optimizer == 'adam', parameters: {beta1: {min: 0.8, max: 0.9}}}\n";
    const std::string command = "[python3, t.py, \"--adam=${adam}\"]";

    CHECK(problem_of(command, adam) ==
          "sweep.yaml:3:26: command[2]: ${adam} has no value in trials that lack the parameter; write ${args} or "
          "${args_json}, which leave it out");
    CHECK(problem_of("[python3, t.py, \"${args}\"]", adam).empty());
    CHECK(problem_of(command, adam, "constraints: [optimizer == 'adam']\n").empty());
}

TEST_CASE("a built-in macro with the name of a parameter does not pass the parameter") {
    const std::string parameters = "  env: {values: [CartPole-v1, Pendulum-v1]}\n  lr: {min: 0.1, max: 0.2}\n";
    const auto problem = [&](const std::string& command) { return problem_of(command, parameters); };

    CHECK(problem("[python3, t.py, \"--env=${env}\"]") ==
          "sweep.yaml:3:26: command[2]: ${env} stands for /usr/bin/env, so it does not pass the parameter env; write "
          "${args}, or rename the parameter");
    CHECK(problem("[./train, --env, \"${env}\"]").starts_with("sweep.yaml:3:27: command[2]: ${env} stands for"));
    CHECK(problem("[python3, t.py, \"${env}\"]").starts_with("sweep.yaml:3:26: command[2]: ${env} stands for"));
    CHECK(problem("[python3, t.py, \"${args}\"]").empty());
    CHECK(problem("[\"${env}\", python3, t.py, \"${args}\"]").empty());
    CHECK(problem("[nice, -n, 5, \"${env}\", \"${interpreter}\", t.py, \"--lr=${lr}\"]").empty());
    CHECK(problem_of("[python3, t.py, \"--env=${env}\"]", "  env: {parameters: {id: {values: [a, b]}}}\n")
              .starts_with("sweep.yaml:3:26: command[2]: ${env} stands for"));
    CHECK(problem_of("[python3, t.py, \"--program=${program}\"]", "  program: {values: [a, b]}\n", "program: t.py\n")
              .starts_with("sweep.yaml:3:26: command[2]: ${program} stands for t.py, so"));
    CHECK(problem_of("[torchrun, --standalone, \"${program}\", \"${args}\"]", "  program: {values: [a, b]}\n",
                     "program: t.py\n")
              .empty());
}

TEST_CASE("a name with two hyphens is refused if a macro adds two more") {
    const std::string parameters = "  --lr: {min: 0.1, max: 0.2}\n";

    CHECK(
        problem_of("[python3, t.py, \"${args}\"]", parameters) ==
        "sweep.yaml:5:3: parameters.--lr: ${args} puts two hyphens before the name, so the program gets ----lr; write "
        "the name without hyphens");
    CHECK_FALSE(problem_of("[./train, \"${args_argparse}\"]", parameters).empty());
    CHECK(problem_of("[./train, \"${args_no_hyphens}\"]", parameters).empty());
}

TEST_CASE("a macro that does not stand for the group is fine, whatever the group is called") {
    const std::string conditional = ": {when: x > 1, parameters: {id: {values: [a, b]}}}\n  x: {min: 0, max: 2}\n";

    CHECK(problem_of("[\"${env}\", python3, t.py, \"${args}\"]", "  env" + conditional).empty());
    CHECK(problem_of("[python3, t.py, \"${args}\"]", "  args" + conditional).empty());
}

TEST_CASE("a word may name a group if each trial has one of its parameters") {
    CHECK(problem_of("[python3, t.py, \"${model}\"]",
                     "  kind: {values: [cnn, vit]}\n"
                     "  model:\n"
                     "    parameters:\n"
                     "      width: {min: 8, max: 64, when: kind == 'cnn'}\n"
                     "      heads: {min: 1, max: 8, when: kind == 'vit'}\n")
              .empty());
}

TEST_CASE("a searched parameter that no word passes to the program is found") {
    const auto left_out = [](const std::string& command) {
        return parameters_left_out(parse_sweep("metric: {name: loss}\nrun_cap: 9\ncommand: " + command +
                                                   "\nparameters:\n  lr: {min: 0.1, max: 0.2}\n  amp: {values: [true, "
                                                   "false]}\n  epochs: {value: 9}\n  base: {min: 1, max: 2}\n"
                                                   "  decay: {expression: base * 2}\n"
                                                   "  adam: {parameters: {beta: {min: 0.8, max: 0.9}}}\n",
                                               "sweep.yaml"));
    };
    using Names = std::vector<std::string>;

    CHECK(left_out("[./train, '--lr=${lr}']") == Names{"amp", "decay", "adam.beta"});
    CHECK(left_out("[./train, '${lr}', '${amp}', '${decay}', '${adam}']").empty());
    CHECK(left_out("[./train, '${lr}', '${amp}', '${decay}', '${adam.beta}']").empty());
    CHECK(left_out("[./train, '${lr}', '${args_json_file}']").empty());
    CHECK(left_out("[bash, -c, './train $CRESCENDO_TRIAL_DIR/params.json ${lr}']").empty());
}
