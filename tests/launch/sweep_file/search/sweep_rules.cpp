#include "launch/sweep_file/search/sweep_rules.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "launch/sweep_file/sweep_file.hpp"
#include "tests/error_of.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

/// A sweep file whose parameters begin on line 3, followed by its constraints.
std::string sweep_with(const std::string& parameters, const std::string& constraints = "") {
    return R"(metric: {name: loss}
parameters:
  optimizer: {values: [sgd, adam]}
  width: {min: 1, max: 64}
)" + parameters +
           constraints + "scheduler: {type: asha, min: 1, max: 27}\nrun_cap: 9\ncommand: [train, \"${args}\"]\n";
}

SearchSpace space_of(const std::string& text) { return parse_sweep(text, "sweep.yaml").spec.space; }

std::string rules_error(const std::string& text) {
    return tests::error_of([&] { parse_sweep(text, "sweep.yaml"); });
}

/// The mistakes that try_rules() finds.
std::string mistakes_of(const std::string& text) {
    const auto file = parse_sweep(text, "sweep.yaml");
    Mistakes mistakes;
    try_rules(file.spec.space, file.spec.seed, file.source, mistakes);
    return tests::error_of([&] { mistakes.throw_if_any(file.source); });
}

/// Checks that the error of each sweep file has the given beginning.
void check_beginnings(const std::vector<std::pair<std::string, std::string>>& cases) {
    for (const auto& [text, beginning] : cases) {
        const auto error = rules_error(text);
        CHECK_MESSAGE(error.starts_with("sweep.yaml:" + beginning), (error + " instead of " + beginning));
    }
}

}  // namespace

TEST_CASE("conditions, derived parameters and constraints are read") {
    const auto space = space_of(sweep_with(R"(  momentum: {min: 0.5, max: 1.0, when: optimizer == "sgd"}
  lr: {expression: "0.1 * width / 64"}
  text: {value: "0.1 * width"}
)",
                                           "constraints: [\"width < 60\", 'momentum < 0.9 or width > 2']\n"));

    CHECK(space.parameters()[2].when == "optimizer == \"sgd\"");
    CHECK(space.parameters()[3].expression == "0.1 * width / 64");
    CHECK_FALSE(space.parameters()[4].is_derived());
    CHECK(space.rules().constraints().size() == 2);
    CHECK(space.num_dimensions() == 3);
}

TEST_CASE("messages about expressions point at the character, whatever quotes surround the expression") {
    check_beginnings({
        {sweep_with("  m: {min: 0, max: 1, when: optimiser == \"sgd\"}\n"),
         "5:29: parameters.m.when: there is no optimiser; put text in quotes (did you mean 'optimizer'?)"},
        {sweep_with("  m: {min: 0, max: 1, when: \"width > depth\"}\n"), "5:38: parameters.m.when: there is no depth"},
        {sweep_with("  m:\n    min: 0\n    max: 1\n    when: 'width +'\n"),
         "8:19: parameters.m.when: a value is missing at the end"},
        {sweep_with("", "constraints:\n  - width < 8\n  - width * optimizer < 3\n"),
         "7:13: constraints[1]: '*' takes numbers, but its right side is text"},
        {sweep_with("  area: {expression: 'width ** depth'}\n"), "5:32: parameters.area.expression: there is no depth"},
    });
    CHECK(rules_error(sweep_with("  m: {min: 0, max: 1, when: optimiser == \"sgd\"}\n")).ends_with("'optimizer'?)"));
}

TEST_CASE("the message counts the characters if the file does not have the text verbatim") {
    CHECK(rules_error(sweep_with("", "constraints:\n  - \"width < 8\\u0020and depth > 1\"\n"))
              .starts_with("sweep.yaml:6:5: constraints[0]: at character 15: there is no depth"));
    CHECK(rules_error(sweep_with("", "constraints:\n  - >-\n    width < 8\n    and depth > 1\n"))
              .find(": constraints[0]: at character 15: there is no depth") != std::string::npos);
}

TEST_CASE("messages about the rules of nested parameters give their position") {
    CHECK(rules_error(sweep_with("  sgd:\n    parameters:\n      momentum: {min: 0, max: 1, when: opt == 'sgd'}\n"))
              .starts_with("sweep.yaml:7:40: parameters.sgd.parameters.momentum.when: there is no opt"));
    const auto space = space_of(sweep_with("  sgd:\n    parameters:\n      m: {min: 0, max: 1}\n",
                                           "constraints: [sgd.m < 0.5]\n"));
    CHECK(space.rules().constraints()[0].text() == "sgd.m < 0.5");
}

TEST_CASE("the condition of a group applies to each of its parameters, in addition to their own") {
    const auto space = space_of(sweep_with(R"(  sgd:
    when: optimizer == "sgd"
    parameters:
      momentum: {min: 0.5, max: 1.0}
      nesterov: {values: [true, false], when: sgd.momentum > 0.8}
      schedule: {when: width > 8, parameters: {gamma: {min: 0.0, max: 1.0}}}
)"));

    CHECK(space.parameters()[2].when == R"(optimizer == "sgd")");
    CHECK(space.parameters()[3].when == R"((optimizer == "sgd") and (sgd.momentum > 0.8))");
    CHECK(space.parameters()[4].when == R"((optimizer == "sgd") and (width > 8))");
}

TEST_CASE("a mistake in the condition of a group is reported once, at its position") {
    CHECK(rules_error(sweep_with("  sgd:\n    when: opt == 'sgd'\n    parameters:\n"
                                 "      a: {min: 0, max: 1}\n      b: {min: 0, max: 1}\n"))
              .starts_with("sweep.yaml:6:11: parameters.sgd.when: there is no opt"));
    CHECK(rules_error(sweep_with("  sgd:\n    when: optimizer == 'sgd'\n    parameters:\n"
                                 "      a: {min: 0, max: 1, when: depth > 1}\n"))
              .starts_with("sweep.yaml:8:27: parameters.sgd.parameters.a.when: together with the conditions of the "
                           "groups around it: there is no depth"));
}

TEST_CASE("circular rules and invalid conditions are mistakes, all reported in one message") {
    const auto error =
        rules_error(sweep_with("  a: {min: 0, max: 1, when: b > 0}\n"
                               "  b: {min: 0, max: 1, when: a > 0}\n"
                               "  c: {min: 0, max: 1, when: width}\n"
                               "  d: {min: 0, max: 1, when: true}\n",
                               "constraints: width < 3\n"));

    CHECK(error.find("sweep.yaml:8:23: parameters.d.when: true is a boolean; use text") != std::string::npos);
    CHECK(error.find("sweep.yaml:9:1: constraints: 'width < 3' is text; use a list") != std::string::npos);
    CHECK(rules_error(sweep_with("  a: {min: 0, max: 1, when: b > 0}\n  b: {min: 0, max: 1, when: a > 0}\n"
                                 "  c: {min: 0, max: 1, when: width}\n")) ==
          "sweep.yaml:6:29: parameters.b.when: a needs b needs a: none of them can come first; remove one of them from "
          "the rule of another\nsweep.yaml:7:29: parameters.c.when: this is a whole number, but a condition must be "
          "true or false; compare it, as in x > 0\n2 mistakes");
}

TEST_CASE("a derived parameter has no range, and an expression is not empty") {
    CHECK(rules_error(sweep_with("  x: {expression: width + 1, min: 0}\n")).find("parameters.x.min: unknown key") !=
          std::string::npos);
    CHECK(rules_error(sweep_with("  x: {expression: ''}\n"))
              .starts_with("sweep.yaml:5:7: parameters.x.expression: is "
                           "empty; write an expression"));
}

TEST_CASE("a mistake in a parameter causes no message about the rules that name it") {
    CHECK(rules_error(sweep_with("  depth: {min: 3, max: 1}\n", "constraints: [depth * width < 9]\n"))
              .find("constraints") == std::string::npos);
}

TEST_CASE("a word of the command must not name a parameter that some trials lack") {
    auto text = sweep_with("  m: {min: 0, max: 1, when: optimizer == 'sgd'}\n");
    text.replace(text.find("\"${args}\""), 9, "\"--m=${m}\"");

    CHECK(rules_error(text) ==
          "sweep.yaml:8:18: command[1]: ${m} has no value in trials that lack the parameter; write ${args} or "
          "${args_json}, which leave it out");
}

TEST_CASE("rules are tested on draws before anything starts") {
    CHECK(mistakes_of(sweep_with("", "constraints: [width < 60]\n")) == "no error");
    CHECK(mistakes_of(sweep_with("  x: {expression: 1 / (width - 8)}\n"))
              .starts_with("sweep.yaml:5:21: parameters.x.expression: divides by zero; leave 0 out of the range, or "
                           "add a number to the divisor (with width = 8)"));
    CHECK(mistakes_of(sweep_with("", "constraints:\n  - width < 60\n  - width > 64\n"))
              .starts_with("sweep.yaml:7:5: constraints[1]: none of 10000 draws meets it"));
}

TEST_CASE("a parameter that no draw has causes a warning") {
    const auto file = parse_sweep(sweep_with("  m: {min: 0, max: 1, when: width > 64}\n"), "sweep.yaml");

    CHECK(warnings_of_rules(file.spec.space, 0, file.source) ==
          std::vector<std::string>{"sweep.yaml:5:23: parameters.m.when: the parameter is absent from all 1000 draws; "
                                   "can its condition ever hold?"});
}
