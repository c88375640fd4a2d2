#include "launch/sweep_file/check/macro_check.hpp"

#include <doctest/doctest.h>

#include "tests/error_of.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

/// What is wrong with the macros of `command`, which the search of these parameters runs.
std::string problem_of(const std::string& command, const std::string& parameters, const std::string& more = "") {
    const auto file = parse_sweep(
        "metric: {name: loss}\nrun_cap: 9\ncommand: " + command + "\nparameters:\n" + parameters + more, "sweep.yaml");
    Mistakes mistakes;
    check_macros_of_parameters(file, mistakes);
    return mistakes.empty() ? "" : tests::error_of([&] { mistakes.throw_if_any(file.source); });
}

}  // namespace

TEST_CASE("a word of the command does not name a group that some trials lack") {
    const std::string optimizers = "  optimizer: {values: [sgd, adam]}\n";
    const std::string adam =
        optimizers + "  adam: {when: optimizer == 'adam', parameters: {beta1: {min: 0.8, max: 0.9}}}\n";
    const std::string command = "[python3, t.py, \"--adam=${adam}\"]";

    CHECK(problem_of(command, adam) ==
          "sweep.yaml:3:26: command[2]: ${adam} has no value in some trials, in which the parameter is absent; write "
          "${args} or ${args_json}, which leave it out");
    CHECK(problem_of("[python3, t.py, \"${args}\"]", adam).empty());
    CHECK(problem_of(command, adam, "constraints: [optimizer == 'adam']\n").empty());
}

TEST_CASE("a group of whose parameters each trial has one may be named") {
    CHECK(problem_of("[python3, t.py, \"${model}\"]",
                     "  kind: {values: [cnn, vit]}\n"
                     "  model:\n"
                     "    parameters:\n"
                     "      width: {min: 8, max: 64, when: kind == 'cnn'}\n"
                     "      heads: {min: 1, max: 8, when: kind == 'vit'}\n")
              .empty());
}
