#include "launch/sweep_file/retraining.hpp"

#include <doctest/doctest.h>

using namespace crescendo;
using namespace crescendo::launch;

TEST_CASE("a retraining has one configuration, the full resource, and the same program as the sweep") {
    const auto original = parse_sweep(R"(
name: s
metric: {name: acc, goal: maximize, target: 0.99}
seed: 5
run_cap: 40
slots: 2
sampler: {type: tpe}
parameters:
  lr: {min: 0.1, max: 0.2}
  optimizer: {parameters: {name: {values: [sgd, adam]}, deep: {parameters: {beta: {value: 0.9}}}}}
constraints: [lr < 0.19]
scheduler: {type: rasda, resource: steps, min: 100, max: 900, workers: 2}
budget: {time: 1h}
command: [python3, train.py, "${args}", 017]
grow: restart
on_finish: [ls]
max_retries: 5
)",
                                      "s.yaml");

    const auto text =
        retraining_of(original, {{"max_retries", 7}, {"run_cap", 90}},
                      {{"lr", 0.15}, {"optimizer.name", std::string("sgd")}, {"optimizer.deep.beta", 0.9}}, 3);
    const auto again = parse_sweep(text, "again.yaml");

    CHECK(again.name == "s-retrain");
    CHECK(again.spec.goal == Goal::maximize);
    CHECK_FALSE(again.spec.target.has_value());
    CHECK(again.spec.seed == 6);
    CHECK(again.spec.run_cap == 3);
    CHECK(again.spec.sampler == "random");
    CHECK(again.spec.scheduler.kind == SchedulerKind::fifo);
    CHECK(again.spec.scheduler.max == Resource{900});
    CHECK(again.spec.scheduler.workers == 2);
    CHECK(again.spec.max_retries == 7);  // as it was changed to
    CHECK_FALSE(again.slots.has_value());
    CHECK_FALSE(again.time_budget.has_value());
    CHECK(again.hooks.on_finish.empty());
    CHECK(again.groups == original.groups);
    CHECK(again.command == original.command);  // 017 is a text, as it was
    CHECK(again.spec.space.parameters().size() == 3);
    for (const auto& parameter : again.spec.space.parameters()) {
        CHECK(std::holds_alternative<Constant>(parameter.distribution));
    }
}

TEST_CASE("crescendo-trainer measures every seed on the test samples, if there are any") {
    const auto text_of = [](const std::string& data) {
        const auto file = parse_sweep("name: s\nmetric: {name: val_loss}\nrun_cap: 2\nparameters: {lr: {min: 0.1, max: "
                                      "0.2}}\nscheduler: {max: 9}\ntrainer: {data: " +
                                          data + "}\n",
                                      "s.yaml");
        return retraining_of(file, {}, {{"lr", 0.15}}, 2);
    };

    CHECK(parse_sweep(text_of("{train: a, test: b}"), "r").trainer->at("test_trials") == "all");
    CHECK_FALSE(parse_sweep(text_of("{train: a}"), "r").trainer->contains("test_trials"));
}

TEST_CASE("a program that decides when to end does so in a retraining, too") {
    for (const std::string schedule : {"", "early_terminate: {type: hyperband, min_iter: 3}\n"}) {
        const auto original = parse_sweep(
            "name: s\nmetric: {name: loss}\nrun_cap: 2\nparameters: {lr: {min: 0.1, max: 0.2}}\ncommand: [ls]\n" +
                schedule,
            "s.yaml");

        const auto again = parse_sweep(retraining_of(original, {}, {{"lr", 0.15}}, 2), "again.yaml");

        CHECK_FALSE(again.source.has("scheduler"));
        CHECK(again.spec.scheduler.kind == SchedulerKind::fifo);
        CHECK_FALSE(again.spec.scheduler.has_max());
    }
}

TEST_CASE("the retraining of a sweep with the largest seed has a valid seed") {
    const auto original = parse_sweep(
        "name: s\nmetric: {name: loss}\nseed: 9223372036854775807\nrun_cap: 2\n"
        "parameters: {lr: {min: 0.1, max: 0.2}}\nscheduler: {type: fifo, max: 9}\ncommand: [ls]\n",
        "s.yaml");

    const auto again = parse_sweep(retraining_of(original, {}, {{"lr", 0.15}}, 2), "again.yaml");

    CHECK(again.spec.seed != original.spec.seed);
}
