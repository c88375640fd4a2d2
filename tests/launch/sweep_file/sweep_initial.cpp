#include "launch/sweep_file/sweep_initial.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "tests/error_of.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

/// A sweep file whose last line, the 14th, has the initial points.
std::string sweep_starting_with(const std::string& points) {
    return R"(metric: {name: loss}
run_cap: 9
command: [train, "${args_json}"]
scheduler: {type: asha, max: 27}
parameters:
  lr: {distribution: log_uniform_values, min: 0.0001, max: 1}
  optimizer:
    parameters:
      name: {values: [sgd, adam]}
      momentum: {min: 0.0, max: 0.9, when: optimizer.name == "sgd"}
  width: {min: 8, max: 64}
  area: {expression: width * 10}
constraints: ["lr * width < 8"]
initial: )" + points + "\n";
}

std::vector<Config> initial_of(const std::string& points) {
    return parse_sweep(sweep_starting_with(points), "sweep.yaml").spec.initial;
}

}  // namespace

TEST_CASE("initial points are complete or partial, with nested parameters in maps or under dotted names") {
    const auto points = initial_of(
        "[{lr: 0.01, optimizer: {name: adam}, width: 32.0}, {}, {optimizer.name: sgd, optimizer.momentum: 0}]");

    CHECK(points == std::vector<Config>{{{"lr", 0.01}, {"optimizer.name", std::string("adam")},
                                         {"width", std::int64_t{32}}},
                                        {},
                                        {{"optimizer.name", std::string("sgd")}, {"optimizer.momentum", 0.0}}});
    CHECK(initial_of("[]").empty());
}

TEST_CASE("an impossible initial point is a mistake with its position and a remedy") {
    const std::pair<const char*, const char*> cases[]{
        {"{lr: 0.1}", "14:1: initial: this is a map, but the initial points must be a list of maps; write"},
        {"[0.1]", "14:11: initial[0]: 0.1 is a number, but a point must be a map of parameters; write"},
        {"[{}, {widht: 9}]", "14:16: initial[1].widht: is not a parameter (did you mean 'width'?); the parameters are"},
        {"[{lr: 2}]", "14:12: initial[0].lr: is 2, which the parameter cannot be; choose one of"},
        {"[{area: 80}]", "14:12: initial[0].area: is computed from other parameters; leave it out"},
        {"[{optimizer: {name: rmsprop}}]", "14:24: initial[0].optimizer.name: is \"rmsprop\", which the parameter"},
        {"[{optimizer: {name: adam}, optimizer.name: sgd}]", "14:37: initial[0].optimizer.name: is given twice, in a"},
        {"[{lr: 0.9, width: 64}]",
         "14:11: initial[0]: no trial can start with these values: they break the constraint lr * width < 8"},
        {"[{optimizer: {name: adam, momentum: 0.5}}]",
         "14:11: initial[0]: no trial can start with these values: optimizer.momentum needs optimizer.name == \"sgd\""},
        {"[{lr: 0.9, optimizer: {name: sgd, momentum: 0}, width: 64}]",
         "14:11: initial[0]: a configuration breaks the constraint lr * width < 8"},
    };
    for (const auto& [points, beginning] : cases) {
        CAPTURE(points);
        const auto error = tests::error_of([&, &points = points] { initial_of(points); });

        CHECK_MESSAGE(error.starts_with(std::string("sweep.yaml:") + beginning), error);
    }
}

TEST_CASE("all mistakes in initial points are reported at once, but none if the parameters have mistakes") {
    const auto error = tests::error_of([&] { initial_of("[{lr: 2}, {width: 1}]"); });
    CHECK_MESSAGE(error.find("initial[0].lr") != std::string::npos, error);
    CHECK_MESSAGE(error.find("initial[1].width") != std::string::npos, error);

    auto text = sweep_starting_with("[{lr: 2}]");
    text.replace(text.find("log_uniform_values"), 18, "logarithmic_values");
    const auto other = tests::error_of([&] { parse_sweep(text, "sweep.yaml"); });
    CHECK_MESSAGE(other.find("initial") == std::string::npos, other);
}
