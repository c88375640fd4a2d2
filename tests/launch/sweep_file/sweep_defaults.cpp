#include "launch/sweep_file/sweep_defaults.hpp"

#include <doctest/doctest.h>

#include "core/check.hpp"
#include "tests/error_of.hpp"
#include "tests/launch/sweep_file/remark_on.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::remark_on;

namespace {

const std::string wandb = R"(program: train.py
metric: {name: loss}
parameters:
  lr: {values: [0.1, 0.01]}
  width: {min: 1, max: 3}
)";

SweepFile read_with(const std::string& more) { return parse_sweep(wandb + more, "sweep.yaml"); }

std::string error_with(const std::string& more) {
    return tests::error_of([&] { read_with(more); });
}

}  // namespace

TEST_CASE("without a scheduler, 50 trials train until their programs end, and remarks say so") {
    const auto file = read_with("method: random\n");

    CHECK(file.spec.scheduler.kind == SchedulerKind::fifo);
    CHECK_FALSE(file.spec.scheduler.has_max());
    CHECK(file.spec.run_cap == 50);
    CHECK(remark_on(file, "scheduler").starts_with("is missing: every trial trains until its program ends; "));
    CHECK(remark_on(file, "run_cap") == "is missing: 50 trials run; add run_cap: or budget:");
}

TEST_CASE("a budget can replace run_cap, except for successive halving") {
    CHECK_FALSE(read_with("budget: {time: 1h}\n").spec.run_cap.has_value());
    CHECK_FALSE(read_with("budget: {target: 0.1}\n").spec.run_cap.has_value());
    CHECK(error_with("scheduler: {type: successive_halving, max: 9}\n").find("halves a given number of trials") !=
          std::string::npos);
}

TEST_CASE("a run_cap that a command removes gets no default") {
    CHECK_THROWS_WITH_AS(parse_sweep(wandb + "run_cap: 3\n", "sweep.yaml", {{"run_cap", {}}}),
                         doctest::Contains("nothing ends this sweep"), InvalidInput);
}

TEST_CASE("a grid runs all of its points, and no more") {
    CHECK(read_with("method: grid\n").spec.run_cap == 6);
    CHECK(remark_on(read_with("method: grid\n"), "run_cap") == "is missing: the grid has 6 points");
    CHECK(read_with("method: grid\nrun_cap: 4\n").spec.run_cap == 4);
    CHECK(read_with("method: grid\nrun_cap: 100\n").spec.run_cap == 6);
    CHECK(read_with("sampler: {type: grid}\nbudget: {time: 1h}\n").spec.run_cap == 6);
    CHECK(read_with("method: grid\n").spec.sampler == "grid");
}

TEST_CASE("an impossible grid is one mistake, even without a run_cap") {
    const auto error = error_with("  x: {min: 0.1, max: 0.2}\nmethod: grid\n");

    CHECK(error.starts_with("sweep.yaml:6:3: parameters.x: has infinitely many values"));
    CHECK(error.find('\n') == std::string::npos);
}

TEST_CASE("W&B's early_terminate becomes asha with the same rungs") {
    const auto from_min = read_with("early_terminate: {type: hyperband, min_iter: 3, eta: 2}\n");
    const auto from_max = read_with("early_terminate: {type: hyperband, max_iter: 27, s: 2}\n");

    CHECK(from_min.spec.scheduler.kind == SchedulerKind::asha);
    CHECK(from_min.spec.scheduler.min == Resource{3});
    CHECK(from_min.spec.scheduler.reduction_factor == 2);
    CHECK_FALSE(from_min.spec.scheduler.has_max());
    CHECK(from_max.spec.scheduler.min == Resource{3});  // rungs at 9 and 3
    CHECK(from_max.spec.scheduler.max == Resource{27});
    CHECK(from_max.spec.scheduler.reduction_factor == 3);
    CHECK(remark_on(from_max, "early_terminate") ==
          "means scheduler: {type: asha, min: 3, max: 27, reduction_factor: 3} here: a trial is complete at 27, but "
          "W&B lets it continue; if your program trains longer, write that scheduler with a larger max");
    CHECK(read_with("early_terminate: {type: hyperband, max_iter: 5, s: 9, eta: 3}\n").spec.scheduler.min ==
          Resource{1});
}

TEST_CASE("a remark says where rungs lie if W&B rounds them differently") {
    const auto note = [](const char* rule) {
        return remark_on(read_with(std::string("early_terminate: {type: hyperband, ") + rule + "}\n"),
                         "early_terminate");
    };

    CHECK(note("max_iter: 50, s: 1").ends_with("; rungs are at 16, 48, but W&B has them at 16"));
    CHECK(note("max_iter: 100, s: 3").ends_with("; rungs are at 3, 9, 27, 81, but W&B has them at 3, 11, 33"));
    CHECK(note("max_iter: 2, s: 3").ends_with("with a larger max"));  // neither has rungs
}

TEST_CASE("messages about mistakes in early_terminate name the key") {
    CHECK(error_with("early_terminate: {type: hyperband}\n") ==
          "sweep.yaml:6:1: early_terminate: does not say when trials are judged; add min_iter: 3, or max_iter: 27 and "
          "s: 2");
    CHECK(error_with("early_terminate: {type: envelope, min_iter: 3}\n").find("use hyperband") != std::string::npos);
    CHECK(error_with("early_terminate: hyperband\n") ==
          "sweep.yaml:6:1: early_terminate: 'hyperband' is text; use a map, such as early_terminate: {type: hyperband, "
          "min_iter: 3}");
    CHECK(error_with("early_terminate: {type: hyperband, min_iter: 3, eta: 1.5}\n") ==
          "sweep.yaml:6:49: early_terminate.eta: is 1.5, but rungs are at powers of a small whole number here; use 2, "
          "3 or 4");
    CHECK(error_with("early_terminate: {type: hyperband, min_iter: 0}\n") ==
          "sweep.yaml:6:36: early_terminate.min_iter: is 0; use 1 or more");
    CHECK(error_with("early_terminate: {type: hyperband, min_iter: 30, max_iter: 20}\n")
              .find("max is 20 and min is 30") != std::string::npos);
}

TEST_CASE("max_concurrent limits the running trials even without a scheduler type or with early_terminate") {
    const std::string limit = "scheduler: {max_concurrent: 2}\n";
    const std::string early = "early_terminate: {type: hyperband, min_iter: 3}\n";
    const std::vector<Override> command{{"scheduler.max_concurrent", "2"}};

    for (const auto& file : {read_with(limit), parse_sweep(wandb, "sweep.yaml", command)}) {
        CHECK(file.spec.scheduler.kind == SchedulerKind::fifo);
        CHECK(file.spec.scheduler.max_concurrent == 2);
        CHECK(remark_on(file, "scheduler").starts_with("stops no trial: "));
    }
    for (const auto& file : {read_with(early + limit), parse_sweep(wandb + early, "sweep.yaml", command)}) {
        CHECK(file.spec.scheduler.kind == SchedulerKind::asha);
        CHECK(file.spec.scheduler.min == Resource{3});
        CHECK(file.spec.scheduler.max_concurrent == 2);
    }
}

TEST_CASE("the target of W&B's metric ends the sweep") {
    const auto file = parse_sweep("program: a.py\nmetric: {name: loss, target: 0.1}\nparameters: {x: {values: [1]}}\n",
                                  "sweep.yaml");

    CHECK(file.spec.target == 0.1);
    CHECK_FALSE(file.spec.run_cap.has_value());
    CHECK(!remark_on(file, "metric.target").empty());
}

TEST_CASE("an empty item of a command is not a word, and gets a remark") {
    const auto file = parse_sweep(
        "command:\n- ${program}\n-\n- ''\n- 14\nprogram: a\nmetric: {name: x}\nparameters: {x: {value: 1}}\n",
        "sweep.yaml");

    CHECK(file.command == std::vector<std::string>{"${program}", "", "14"});
    CHECK(!remark_on(file, "command[1]").empty());
}

TEST_CASE("nested parameters have dotted names, and the names of their groups are kept") {
    const auto file =
        read_with("  optimizer: {parameters: {lr: {min: 0.1, max: 1.0}, nadam: {parameters: {beta: {value: 1}}}}}\n");
    const auto& parameters = file.spec.space.parameters();

    REQUIRE(parameters.size() == 4);
    CHECK(parameters[2].name == "optimizer.lr");
    CHECK(parameters[3].name == "optimizer.nadam.beta");
    CHECK(file.groups == std::vector<std::string>{"optimizer", "optimizer.nadam"});
}

TEST_CASE("values may be lists, maps and null") {
    const auto file = read_with("  x: {values: [[1, 2.5], {b: 1, a: true}, null]}\n");
    const auto& values = std::get<Categorical>(file.spec.space.parameters()[2].distribution).values;

    CHECK(values == std::vector<Value>{JsonValue("[1,2.5]"), JsonValue(R"({"a":true,"b":1})"), JsonValue("null")});
}

TEST_CASE("a goal that contradicts the name of the metric gets a remark, even if it is the default") {
    const auto remark = [](const std::string& metric) {
        auto text = wandb;
        text.replace(text.find("{name: loss}"), 12, metric);
        return remark_on(parse_sweep(text, "sweep.yaml"), "metric.goal");
    };

    CHECK(remark("{name: val_acc}") ==
          "is missing, so val_acc is minimized: the smallest value is the best; if the largest is, add goal: maximize");
    CHECK(remark("{name: val_acc, goal: minimize}") ==
          "val_acc is minimized: the smallest value is the best; if the largest is, write maximize");
    CHECK(remark("{name: loss, goal: maximize}").starts_with("loss is maximized: the largest value is the best; "));
    CHECK(remark("{name: val_acc, goal: maximize}").empty());
    CHECK(remark("{name: loss}").empty());
    CHECK(remark("{name: fid_score, goal: minimize}").empty());
}

TEST_CASE("a command cannot change a scheduler that is written as early_terminate") {
    const std::string text = "metric: {name: loss}\nrun_cap: 9\nparameters: {x: {min: 0.0, max: 1.0}}\n"
                             "early_terminate: {type: hyperband, max_iter: 27, s: 3, eta: 3}\n";
    const auto error = tests::error_of([&] { parse_sweep(text, "sweep.yaml", {{"scheduler.type", "rasda"}}); });

    CHECK_MESSAGE(error.starts_with("sweep.yaml:4:1: early_terminate: the command changes the scheduler, but this is "
                                    "W&B's form of one; write scheduler: {type: asha, "),
                  error);
}
