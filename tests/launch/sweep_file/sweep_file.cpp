#include "launch/sweep_file/sweep_file.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "core/check.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

namespace {

/// A minimal sweep file with more lines.
SweepFile parse_least(const std::string& more = "") {
    return parse_sweep(
        "metric: {name: val_loss}\n"
        "parameters: {lr: {min: 0.0, max: 1.0}}\n"
        "scheduler: {type: asha, max: 9}\n"
        "run_cap: 27\n" +
            more,
        "sweep.yaml");
}

/// The distribution of the one parameter that `map` describes.
Distribution distribution(const std::string& map) {
    return parse_sweep("metric: {name: loss}\nrun_cap: 27\nscheduler: {max: 9}\nparameters:\n  x: " + map, "sweep.yaml")
        .spec.space.parameters()
        .front()
        .distribution;
}

}  // namespace

TEST_CASE("the example in the documentation is read completely") {
    const std::string text = R"(name: fashion-mnist
metric: {name: val_accuracy, goal: maximize}
run_cap: 27                      # trials
seed: 1
slots: auto
cpus_per_slot: 2
slots_per_gpu: 4
max_retries: 1
parameters:
  lr:        {distribution: log_uniform_values, min: 1e-4, max: 0.3}
  momentum:  {min: 0.0, max: 0.99}
  width:     {values: [16, 32, 64]}
sampler:   {type: random}
scheduler:
  type: rasda
  min: 1
  max: 27
  reduction_factor: 3
  mode: stop
  rule: percentile
  workers: 1
  scaling_factor: 2
  max_workers: 4
  grow: eager
  surplus: off
  batch: per_worker
budget: {time: 8h, target: 0.93}
trainer: {model: cnn, batch_size: 128, data: {train: fashion.h5:/train}}
)";

    const auto file = parse_sweep(text, "sweep.yaml");

    CHECK(file.name == "fashion-mnist");
    CHECK_FALSE(file.slots.has_value());
    CHECK(file.cpus_per_slot == 2);
    CHECK(file.wishes().slots_per_gpu == 4);
    CHECK(file.time_budget == std::chrono::hours(8));
    CHECK(file.trainer->dump() == R"({"batch_size":128,"data":{"train":"fashion.h5:/train"},"model":"cnn"})");
    CHECK_FALSE(file.command.has_value());
    CHECK(file.text == text);

    const auto& spec = file.spec;
    CHECK(spec.metric == "val_accuracy");
    CHECK(spec.goal == Goal::maximize);
    CHECK(spec.run_cap == 27);
    CHECK(spec.target == 0.93);
    CHECK(spec.has_time_budget);
    CHECK(spec.max_retries == 1);
    CHECK(spec.seed == 1);

    CHECK(spec.scheduler.kind == SchedulerKind::rasda);
    CHECK(spec.scheduler.min == Resource{1});
    CHECK(spec.scheduler.max == Resource{27});
    CHECK(spec.scheduler.reduction_factor == 3);
    CHECK(spec.scheduler.rule == Rule::percentile);
    CHECK(spec.scheduler.workers == 1);
    CHECK(spec.scheduler.scaling_factor == 2);
    CHECK(spec.scheduler.max_workers == 4);
    CHECK(spec.scheduler.batch == BatchPolicy::per_worker);

    const auto& parameters = spec.space.parameters();
    REQUIRE(parameters.size() == 3);
    CHECK(parameters[0].name == "lr");
    CHECK(std::get<LogUniformValues>(parameters[0].distribution).min == 1e-4);
    CHECK(std::get<Uniform>(parameters[1].distribution).max == 0.99);
    CHECK(std::get<Categorical>(parameters[2].distribution).values ==
          std::vector<Value>{std::int64_t{16}, std::int64_t{32}, std::int64_t{64}});
}

TEST_CASE("keys that are left out have the documented defaults") {
    const auto file = parse_least();

    CHECK(file.name == "sweep");  // of sweep.yaml
    CHECK(file.cpus_per_slot == 1);
    CHECK(file.wishes().slots_per_gpu == 1);
    CHECK_FALSE(file.time_budget.has_value());
    CHECK_FALSE(file.trainer.has_value());
    CHECK_FALSE(file.command.has_value());
    CHECK(file.spec.goal == Goal::minimize);
    CHECK_FALSE(file.spec.target.has_value());
    CHECK_FALSE(file.spec.has_time_budget);
    CHECK(file.spec.max_retries == 2);
    CHECK(file.spec.scheduler.min == Resource{1});
    CHECK(file.spec.scheduler.rule == Rule::rank);
    CHECK_FALSE(file.spec.scheduler.scaling_factor.has_value());
    CHECK(file.spec.scheduler.batch == BatchPolicy::global);
    CHECK(distribution("{min: 0.0, max: 1.0}").index() == 0);
}

TEST_CASE("a scheduler with only a maximum grows trials as documented") {
    const auto file = parse_sweep(
        "metric: {name: val_loss}\nparameters: {lr: {min: 0.0, max: 1.0}}\nrun_cap: 27\nscheduler: {max: 9}\n",
        "sweep.yaml");

    const auto& scheduler = file.spec.scheduler;
    CHECK(scheduler.kind == SchedulerKind::rasda);
    CHECK(scheduler.grow == GrowPolicy::eager);
    CHECK(scheduler.priority == Priority::tail);
    CHECK(scheduler.shrink == Switch::off);
    CHECK(scheduler.has_surplus());
}

TEST_CASE("W&B's keys without a meaning here are accepted") {
    const auto file = parse_least("method: random\ndescription: the third try\nproject: thesis\nentity: us\n");

    CHECK(file.name == "sweep");
    CHECK(file.spec.sampler == "random");
}

TEST_CASE("an unnamed distribution follows from its keys") {
    CHECK(std::get<IntUniform>(distribution("{min: 1, max: 9}")).max == 9);
    CHECK(std::get<Uniform>(distribution("{min: 1, max: 9.0}")).max == 9.0);
    CHECK(std::get<Uniform>(distribution("{min: 1e-4, max: 1}")).min == 1e-4);
    CHECK(std::get<Categorical>(distribution("{values: [relu]}")).values == std::vector<Value>{"relu"});
    CHECK(std::get<Constant>(distribution("{value: 3}")).value == Value{std::int64_t{3}});
}

TEST_CASE("every distribution can be named") {
    CHECK(std::get<Uniform>(distribution("{distribution: uniform, min: 1, max: 9}")).max == 9.0);
    CHECK(std::get<IntUniform>(distribution("{distribution: int_uniform, min: -1, max: 9}")).min == -1);
    CHECK(std::get<QUniform>(distribution("{distribution: q_uniform, min: 0, max: 9, q: 3}")).q == 3.0);
    CHECK(std::get<QUniform>(distribution("{distribution: q_uniform, min: 0, max: 9}")).q == 1.0);  // as in W&B
    CHECK(std::get<QLogUniformValues>(distribution("{distribution: q_log_uniform_values, min: 8, max: 64, q: 8}")).q ==
          8.0);
    CHECK(std::get<Categorical>(distribution("{distribution: categorical, values: [1, 2]}")).values.size() == 2);
    CHECK(std::get<Constant>(distribution("{distribution: constant, value: x}")).value == Value{"x"});
}

TEST_CASE("values keep the types they are written with") {
    const auto values = std::get<Categorical>(distribution("{values: [1, 1.0, '1', true, \"true\", on, 1e-3]}")).values;

    CHECK(values == std::vector<Value>{std::int64_t{1}, 1.0, "1", true, "true", "on", 1e-3});
}

TEST_CASE("regroups of warm trainers have an expected duration, but other regroups have none") {
    CHECK_FALSE(parse_least("command: [./train]\n").spec.scheduler.expected_regroup);
    CHECK(parse_least("trainer: {model: cnn}\n").spec.scheduler.expected_regroup == 0.1);
    CHECK(parse_least("command: [./train]\ngrow: in_place\n").spec.scheduler.expected_regroup == 0.1);
}

TEST_CASE("true and false mean on and off, as other YAML libraries write them") {
    CHECK(parse_least("command: [./train]\nbind: false\n").bind == Binding::off);
    CHECK(parse_least("command: [./train]\ngrow: in_place\nfinal_test: true\n").has_final_test());
    CHECK_FALSE(parse_least("trainer: {data: {train: a}}\nhang_timeout: false\n").supervision.hang_timeout.has_value());
}

TEST_CASE("workers are bound to cores automatically, always or never") {
    CHECK(parse_least("").bind == Binding::automatic);
    CHECK(parse_least("bind: on\n").bind == Binding::on);
    CHECK(parse_least("bind: off\n").bind == Binding::off);
}

TEST_CASE("slots are a number or auto") {
    CHECK(parse_least("slots: 4\n").slots == 4);
    CHECK_FALSE(parse_least("slots: auto\n").slots.has_value());
}

TEST_CASE("Windows line endings and a byte order mark do not matter") {
    auto text = parse_least().text;
    for (std::size_t i = 0; (i = text.find('\n', i)) != std::string::npos; i += 2) {
        text.replace(i, 1, "\r\n");
    }

    CHECK(parse_sweep("\xEF\xBB\xBF" + text, "sweep.yaml").spec.metric == "val_loss");
}

TEST_CASE("the trainer's settings keep their types and are not interpreted") {
    const auto file = parse_least("trainer: {a: 1, b: 1.0, c: '1', d: [true, null], e: {f: x}}\n");

    CHECK(file.trainer->dump() == R"({"a":1,"b":1.0,"c":"1","d":[true,null],"e":{"f":"x"}})");
}

TEST_CASE("a message about a key has its position, or that of the nearest key around it") {
    const auto file = parse_least("trainer:\n  optimizer: sdg\n  layers: [3, x]\n");

    CHECK(file.source.located("trainer.optimizer", "unknown") == "sweep.yaml:6:3: trainer.optimizer: unknown");
    CHECK(file.source.located("trainer.layers[1]", "no number") == "sweep.yaml:7:15: trainer.layers[1]: no number");
    CHECK(file.source.located("trainer.data.train", "missing") == "sweep.yaml:5:1: trainer.data.train: missing");
    CHECK(file.source.located("nowhere", "missing") == "sweep.yaml:1:1: nowhere: missing");
    CHECK(file.source.located("", "odd") == "sweep.yaml:1:1: odd");
    CHECK(file.source.position_of("parameters.lr.max") == Position{2, 29});
}

TEST_CASE("a file is read byte for byte, and the error about a missing file names it") {
    const TemporaryFolder folder;
    const auto path = folder / "mnist.yaml";
    const std::string text = parse_least("# a comment\n").text;
    std::ofstream(path) << text;

    CHECK(read_sweep_file(path).text == text);
    CHECK(read_sweep_file(path).name == "mnist");
    CHECK_THROWS_WITH_AS(read_sweep_file(folder / "none.yaml"),
                         ("cannot read " + (folder / "none.yaml").string() + ": No such file or directory").c_str(),
                         InvalidInput);
    CHECK_THROWS_AS(read_sweep_file(folder.path()), InvalidInput);
}
