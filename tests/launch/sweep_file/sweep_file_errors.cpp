/// Common mistakes in sweep files, with their complete messages.

#include <doctest/doctest.h>

#include <sstream>

#include "tests/launch/sweep_file/sound_sweep.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

namespace {

/// Expects these mistakes in this order, each by the beginning of its message, followed by their number.
void check_mistakes(const std::string& text, const std::vector<std::string>& mistakes) {
    std::istringstream lines(error_in(text));
    std::string line;
    for (const auto& mistake : mistakes) {
        std::getline(lines, line);
        CHECK_MESSAGE(line.starts_with(mistake), (line + " instead of " + mistake));
    }
    std::getline(lines, line);
    CHECK(line == std::to_string(mistakes.size()) + " mistakes");
    CHECK_FALSE(std::getline(lines, line));
}

}  // namespace

TEST_CASE("the file from which the others are made is valid") { CHECK(error_in(sound) == "no error"); }

TEST_CASE("the message about an unknown key suggests the nearest key, or lists all") {
    check_errors({
        {sound_with("reduction_factor", "reducton_factor"),
         "sweep.yaml:9:3: scheduler.reducton_factor: unknown key (did you mean 'reduction_factor'?)"},
        {sound_with("reduction_factor", "halving"),
         "sweep.yaml:9:3: scheduler.halving: unknown key; scheduler has type, resource, min, max, reduction_factor, "
         "mode, rule, keep_diverged, brackets, max_concurrent, workers, "
         "scaling_factor, max_workers, grow, grow_when, second_try, hopeful_tries, priority, shrink, surplus, "
         "capped_surplus, distinct_gpus, batch and min_efficiency"},
        {sound + "hello: 27\n",
         "sweep.yaml:10:1: hello: unknown key; this file takes name, description, project, entity, metric, method, "
         "sampler, parameters, constraints, initial, run_cap, seed, slots, bind, budget, scheduler, early_terminate, "
         "trial, cpus_per_slot, slots_per_gpu, price, trainer, program, command, grow, report, final_test, "
         "max_retries, hang_timeout, simulate, entry, on_finish, on_failure, trial_time, patience, repeat, keep, "
         "plugins, stop_rule, warm_start, apiVersion, kind and controller"},
    });
}

TEST_CASE("the keys of a section are listed once") {
    check_mistakes(sound + "hello: 1\ngoodbye: 1\n", {"sweep.yaml:10:1: hello: unknown key; this file takes name, ",
                                                      "sweep.yaml:11:1: goodbye: unknown key, too"});
}

TEST_CASE("the messages about a decimal comma and a colon without a space explain why YAML reads a key") {
    check_errors({
        {sound_with_parameter("lr: {min: 0,1, max: 1}"),
         "sweep.yaml:4:15: parameters.lr.1: unknown key; a comma ends a value, so write a decimal point, as in 0.1"},
        {sound_with_parameter("lr: {min:0.1, max: 1}"),
         "sweep.yaml:4:8: parameters.lr.min:0.1: unknown key; put a space after the colon, as in min: 1"},
    });
}

TEST_CASE("the messages about keys and words of other tools say what to write") {
    check_errors({
        {sound_with("run_cap", "n_trials"), "sweep.yaml:2:1: n_trials: unknown key (did you mean 'run_cap'?)"},
        {sound_with("run_cap", "trials"), "sweep.yaml:2:1: trials: unknown key (did you mean 'run_cap'?)"},
        {sound_with("run_cap", "num_samples"), "sweep.yaml:2:1: num_samples: unknown key (did you mean 'run_cap'?)"},
        {sound_with("run_cap: 27", "timeout: 3600"), "sweep.yaml:2:1: timeout: unknown key; write budget: {time: 8h}"},
        {sound_with("run_cap: 27", "budget: {timeout: 1h}"),
         "sweep.yaml:2:10: budget.timeout: unknown key (did you mean 'time'?)"},
        {sound_with("  max:", "  max_t:"), "sweep.yaml:8:3: scheduler.max_t: unknown key (did you mean 'max'?)"},
        {sound_with("  min:", "  grace_period:"),
         "sweep.yaml:7:3: scheduler.grace_period: unknown key (did you mean 'min'?)"},
        {sound_with("  min:", "  eta:"),
         "sweep.yaml:7:3: scheduler.eta: unknown key (did you mean 'reduction_factor'?)"},
        {sound + "epochs: 27\n", "sweep.yaml:10:1: epochs: unknown key; write scheduler: {max: 27}"},
        {sound + "gpus: 4\n", "sweep.yaml:10:1: gpus: unknown key (did you mean 'slots'?)"},
        {sound + "job: me/images/train:v0\n",
         "sweep.yaml:10:1: job: unknown key; W&B Launch jobs are not supported; name the script that the job starts: "
         "program: train.py"},
        {sound + "hyperparameters: {lr: 0.1}\n",
         "sweep.yaml:10:1: hyperparameters: unknown key; for a Determined file, use `crescendo import FILE > "
         "sweep.yaml`"},
        {sound + "hydra: {mode: MULTIRUN}\n",
         "sweep.yaml:10:1: hydra: unknown key; for a Hydra file, use `crescendo import FILE > sweep.yaml`"},
        {sound_with("  min: 1", "  num_workers: 8"),
         "sweep.yaml:7:3: scheduler.num_workers: unknown key (did you mean 'max_concurrent'?)"},
        {sound_with_parameter("lr: {choices: [1, 2]}"),
         "sweep.yaml:4:8: parameters.lr.choices: unknown key (did you mean 'values'?)"},
        {sound + "method: bayesian\n",
         "sweep.yaml:10:1: method: 'bayesian' is not supported by this version; use tpe or gp, or auto, which chooses"},
        {sound + "sampler: tpe\n", "sweep.yaml:10:1: sampler: 'tpe' is text; use a map, such as sampler: {type: tpe}"},
        {sound_with_parameter("lr: \"loguniform(1e-4, 1e-1)\""),
         "sweep.yaml:4:3: parameters.lr: 'loguniform(1e-4, 1e-1)' is text; write lr: {distribution: "
         "log_uniform_values, min: 1e-4, max: 1e-1}; `crescendo import` translates whole files of other tools"},
        {sound_with_parameter("lr: 'tune.choice([1, 2])'"),
         "sweep.yaml:4:3: parameters.lr: 'tune.choice([1, 2])' is text; write lr: {values: [1, 2]}; `crescendo import` "
         "translates whole files of other tools"},
        {sound_with_parameter("lr: randint(1, 9)"),
         "sweep.yaml:4:3: parameters.lr: 'randint(1, 9)' is text; write lr: {distribution: int_uniform, min: …, max: "
         "…}; `crescendo import` translates whole files of other tools"},
        {sound_with_parameter("lr: relu(6)"),
         "sweep.yaml:4:3: parameters.lr: 'relu(6)' is text; for one fixed value write lr: {value: \"relu(6)\"}"},
    });
    check_mistakes(sound_with_parameter("lr: {type: float, low: 1e-5, high: 0.1, log: true}"),
                   {"sweep.yaml:4:8: parameters.lr.type: unknown key; remove it: whole min and max give whole values",
                    "sweep.yaml:4:21: parameters.lr.low: unknown key (did you mean 'min'?)",
                    "sweep.yaml:4:32: parameters.lr.high: unknown key (did you mean 'max'?)",
                    "sweep.yaml:4:43: parameters.lr.log: unknown key; write distribution: log_uniform_values"});
}

TEST_CASE("the message about nested parameters without `parameters:` says where they belong") {
    check_errors({
        {sound_with_parameter("optimizer: {lr: {min: 0.1, max: 1.0}, name: {values: [a, b]}}"),
         "sweep.yaml:4:15: parameters.optimizer.lr: is a map, but not a key of a parameter; if optimizer holds other "
         "parameters, put them under optimizer: {parameters: {lr: …}}; for an option named optimizer.lr, write "
         "optimizer.lr:"},
    });
}

TEST_CASE("slots_per_gpu is a whole number, and excludes a number of slots") {
    check_errors({
        {sound + "slots_per_gpu: 0\n", "sweep.yaml:10:1: slots_per_gpu: is 0; use 1 or more"},
        {sound + "slots_per_gpu: two\n",
         "sweep.yaml:10:1: slots_per_gpu: 'two' is text; use a whole number, such as 3, without quotes"},
        {sound + "slots: 4\nslots_per_gpu: 2\n",
         "sweep.yaml:11:1: slots_per_gpu: both this and `slots: 4` set the number of workers on a node with GPUs; "
         "remove one of the two"},
    });
    CHECK(error_in(sound + "slots: auto\nslots_per_gpu: 2\n") == "no error");
}

TEST_CASE("the message about a key given twice names the line of the first") {
    check_errors({
        {sound_with("run_cap: 27", "run_cap: 27\nrun_cap: 9"),
         "sweep.yaml:3:1: run_cap: is given twice, first on line 2; remove one of the two"},
        {sound_with("  lr:", "  lr: {value: 1}\n  lr:"),
         "sweep.yaml:5:3: parameters.lr: is given twice, first on line 4; remove one of the two"},
    });
}

TEST_CASE("the message about a missing key gives a line to add") {
    check_errors({
        {sound_with("name: val_loss, ", ""),
         "sweep.yaml:1:1: metric.name: is missing: trials report the metric under this name; add name: val_loss"},
        {sound_with("  max: 27\n", ""),
         "sweep.yaml:5:1: scheduler.max: is missing: it is the resource (epochs, say) at which a trial is complete; "
         "add max: 27"},
        {"metric: {name: x}\nrun_cap: 3\nparameters: {lr: {value: 1}}\ntrainer: {model: cnn}\n",
         "sweep.yaml:1:1: scheduler: is missing: it says how long trials train and which ones are stopped; add "
         "scheduler: {type: asha, min: 1, max: 27, reduction_factor: 3}"},
    });
}

TEST_CASE("the message about a value of the wrong type says what the key takes") {
    check_errors({
        {sound_with("run_cap: 27", "run_cap: many"),
         "sweep.yaml:2:1: run_cap: 'many' is text; use a whole number, such as 3, without quotes"},
        {sound_with("run_cap: 27", "run_cap: 1_000"),
         "sweep.yaml:2:1: run_cap: '1_000' is text, because YAML numbers have no _; use a whole number, such as 3, "
         "without quotes"},
        {sound_with("run_cap: 27", "run_cap: 2.5"),
         "sweep.yaml:2:1: run_cap: 2.5 is a number; use a whole number, such as 3"},
        {sound_with("run_cap: 27", "run_cap:"),
         "sweep.yaml:2:1: run_cap: there is no value; use a whole number, such as 3, without quotes"},
        {sound_with("{name: val_loss, goal: minimize}", "val_loss"),
         "sweep.yaml:1:1: metric: 'val_loss' is text; use a map, such as metric: {name: val_loss, goal: minimize}"},
        {sound_with("min: 1e-4", "min: '1e-4'"),
         "sweep.yaml:4:42: parameters.lr.min: '1e-4' is text; use a number, such as 0.5 or 1e-4, without quotes"},
        {sound + "name: 7\n",
         "sweep.yaml:10:1: name: 7 is a whole number; use text; put it in quotes if it looks like a number"},
        {sound + "command: python3 train.py\n",
         "sweep.yaml:10:1: command: 'python3 train.py' is text; use a list of strings, such as [python3, train.py]"},
        {sound + "command: python3 args.py --lr ${lr} 3\n",
         "sweep.yaml:10:1: command: 'python3 args.py --lr ${lr} 3' is text; use a list of strings, such as [python3, "
         "args.py, \"--lr\", \"${lr}\", \"3\"]"},
        {sound + "command: cd src && python3 args.py\n",
         "sweep.yaml:10:1: command: 'cd src && python3 args.py' is text; use a list of strings, such as [bash, -c, '… "
         "\"$@\"', bash, \"${args}\"], where bash reads the text"},
        {sound + "constraints: lr <= 0.1\n",
         "sweep.yaml:10:1: constraints: 'lr <= 0.1' is text; use a list of strings, such as [\"lr <= 0.1\"]"},
        {sound + "command: [python3, [3]]\n",
         "sweep.yaml:10:20: command[1]: this is a list, but a word of a command must be text; put it in quotes"},
    });
}

TEST_CASE("YAML's merge key is not a parameter") {
    for (const std::string value : {"{lr: {min: 0.1, max: 0.2}}", "[{lr: {value: 1}}, {width: {value: 2}}]"}) {
        CHECK(error_in(sound_with_parameter("<<: " + value)) ==
              "sweep.yaml:4:3: parameters.<<: is YAML's merge key, which is not supported; write out its keys");
    }
}

TEST_CASE("the message about a senseless number suggests a sensible one") {
    check_errors({
        {sound_with("run_cap: 27", "run_cap: 0"),
         "sweep.yaml:2:1: run_cap: run_cap is 0 (a sweep needs a trial); use 1 or more"},
        {sound_with("reduction_factor: 3", "reduction_factor: 1"),
         "sweep.yaml:9:3: scheduler.reduction_factor: reduction_factor is 1 (a rung must drop some trials); use 2, 3 "
         "or 4"},
        {sound_with("reduction_factor: 3", "reduction_factor: 3000000000"),
         "sweep.yaml:9:3: scheduler.reduction_factor: is 3000000000; use a number from -2147483648 to 2147483647"},
        {sound + "slots: 0\n", "sweep.yaml:10:1: slots: is 0; use 1 or more"},
        {sound + "seed: -1\n", "sweep.yaml:10:1: seed: is -1; use 0 or a positive whole number"},
        {sound + "seed: 99999999999999999999\n",
         "sweep.yaml:10:1: seed: 99999999999999999999 does not fit into 64 bits; use a smaller number, or quotes if "
         "it is text"},
        {sound + "command: [train, 99999999999999999999]\n",
         "sweep.yaml:10:18: command[1]: 99999999999999999999 does not fit into 64 bits; use a smaller number, or quotes "
         "if it is text"},
    });
}

TEST_CASE("the message about a misspelt or unknown word lists the known words") {
    check_errors({
        {sound_with("goal: minimize", "goal: maximise"),
         "sweep.yaml:1:26: metric.goal: 'maximise' is unknown here (did you mean 'maximize'?); use minimize or "
         "maximize"},
        {sound_with("type: asha", "type: best"),
         "sweep.yaml:6:3: scheduler.type: 'best' is unknown here; use fifo, asha, rasda, successive_halving, "
         "hyperband, async_hyperband, pasha or median"},
        {sound + "slots: all\n",
         "sweep.yaml:10:1: slots: 'all' is text; write auto, or a whole number without quotes, such as 4"},
    });
}

TEST_CASE("the message about a key that the scheduler does not have says what to write instead") {
    check_errors({
        {sound_with("  min: 1\n", "  grow: wait\n"),
         "sweep.yaml:7:3: scheduler.grow: grow applies only to type: rasda, which gives survivors more workers; remove "
         "it"},
        {sound_with("type: asha", "type: median\n  mode: promote"),
         "sweep.yaml:7:3: scheduler.mode: mode is promote, which belongs to the asynchronous rungs of asha, rasda "
         "and async_hyperband; remove it, or use type: asha"},
        {sound_with("run_cap: 27\n", "budget: {time: 1h}\n"), "no error"},
    });
}

TEST_CASE("the message about an unsupported feature says what to write instead") {
    check_errors({
        {sound_with("type: asha", "type: bohb"),
         "sweep.yaml:6:3: scheduler.type: 'bohb' is not supported by this version; use asha"},
        {sound + "early_terminate: {type: hyperband, min_iter: 3}\n",
         "sweep.yaml:10:1: early_terminate: both scheduler and this say which trials are stopped; remove one of the "
         "two"},
        {sound_with("goal: minimize}", "target: 0.1}\nbudget: {target: 0.2}"),
         "sweep.yaml:2:10: budget.target: is given here and as metric.target; remove one of the two"},
        {sound_with_parameter("lr: {distribution: inv_uniform, min: 1, max: 4}"),
         "sweep.yaml:4:8: parameters.lr.distribution: 'inv_uniform' is not supported by this version; no tool "
         "defines it; use uniform, or log_uniform_values for several orders of magnitude"},
    });
}

TEST_CASE("the message about a range that is empty or has no logarithm names the parameter") {
    check_errors({
        {sound_with("min: 1e-4, max: 0.3", "min: 0.3, max: 1e-4"),
         "sweep.yaml:4:3: parameters.lr: min is 0.3 and max is 0.0001 (nothing lies between); use a min below max, "
         "or value: 0.3"},
        {sound_with("min: 1e-4", "min: 0"),
         "sweep.yaml:4:3: parameters.lr: min is 0 (only positive numbers have a logarithm); use a min above 0"},
        {sound_with_parameter("lr: {values: []}"),
         "sweep.yaml:4:3: parameters.lr: values is empty (there is nothing to choose from); list some"},
    });
}

TEST_CASE("the message about a parameter that is not a map, or has too few or too many keys, says what to write") {
    check_errors({
        {sound_with_parameter("lr: 0.01"),
         "sweep.yaml:4:3: parameters.lr: 0.01 is a number; for one fixed value write lr: {value: 0.01}"},
        {sound_with_parameter("lr: [0.01, 0.1]"),
         "sweep.yaml:4:3: parameters.lr: this is a list; to choose from it write lr: {values: [...]}"},
        {sound_with_parameter("lr:"),
         "sweep.yaml:4:3: parameters.lr: there is no value; use a map, such as lr: {min: 0.1, max: 0.9}"},
        {sound_with_parameter("lr: {min: 1}"),
         "sweep.yaml:4:3: parameters.lr: has no range; add values: [a, b], or min: and max:, or value:"},
        {sound_with_parameter("lr: {distribution: uniform, min: 1}"),
         "sweep.yaml:4:3: parameters.lr: has no max; add max: with a number"},
        {sound_with_parameter("lr: {mim: 1, max: 2}"),
         "sweep.yaml:4:8: parameters.lr.mim: unknown key (did you mean 'min'?)"},
        {sound_with_parameter("lr: {values: [1, 2], max: 3}"),
         "sweep.yaml:4:24: parameters.lr.max: has no meaning for the distribution categorical, which has values and "
         "probabilities; remove it, or name another distribution"},
        {sound_with_parameter("lr: {min: 1, max: 2, q: 0.1}"),
         "sweep.yaml:4:24: parameters.lr.q: has no meaning for the distribution int_uniform, which has min and max; "
         "add distribution: q_uniform"},
        {sound_with_parameter("lr: {distribution: log_uniform_values, min: 1, max: 2, q: 0.1}"),
         "sweep.yaml:4:58: parameters.lr.q: has no meaning for the distribution log_uniform_values, which has min and "
         "max; write distribution: q_log_uniform_values"},
        {sound_with_parameter("lr: {min: 0.1, max: 0.9}\n  metric: {name: val_loss, goal: minimize}"),
         "sweep.yaml:5:3: parameters.metric: this is the section `metric`, which belongs next to `parameters`, not "
         "inside it; start it at the left margin"},
        {sound_with_parameter("lr: {distribution: int_uniform, min: 1, max: 2.5}"),
         "sweep.yaml:4:43: parameters.lr.max: 2.5 is not whole; int_uniform takes whole numbers, uniform takes any"},
        {sound_with_parameter("lr: {values: [1, [2, .inf]]}"),
         "sweep.yaml:4:20: parameters.lr.values[1]: contains a value that is not a finite number, but programs get "
         "their parameters as JSON, which has no other numbers; use text, such as \"inf\""},
        {sound_with_parameter("optimizer: {parameters: {}}"),
         "sweep.yaml:4:15: parameters.optimizer.parameters: is empty; list the parameters that this one holds, or "
         "remove it"},
        {sound_with_parameter("optimizer: {parameters: {lr: {min: 1}}}"),
         "sweep.yaml:4:28: parameters.optimizer.parameters.lr: has no range; add values: [a, b], or min: and max:, or "
         "value:"},
        {sound_with_parameter("optimizer: {parameters: {lr: {value: 1}}}\n  optimizer.lr: {value: 2}"),
         "sweep.yaml:5:3: parameters.optimizer.lr: parameter optimizer.lr is given twice (a trial has one value of "
         "it); remove one"},
        {sound_with("parameters:\n  lr: {distribution: log_uniform_values, min: 1e-4, max: 0.3}", "parameters: {}"),
         "sweep.yaml:3:1: parameters: is empty, so there is nothing to search; add a parameter, such as lr: {min: "
         "0.001, max: 0.1}"},
    });
}

TEST_CASE("a tag of YAML's core schema sets the type of a value, which must fit it") {
    check_errors({
        {sound_with_parameter("lr: {values: [!!float 1e-5, !!int 3, !!str 4, !!bool true]}"), "no error"},
        {sound_with("run_cap: 27", "run_cap: !!float 27"),
         "sweep.yaml:2:1: run_cap: 27.0 is a number; use a whole number, such as 3"},
        {sound_with("run_cap: 27", "run_cap: !!int 2.5"),
         "sweep.yaml:2:1: run_cap: '2.5' is not of the type int, as its tag !!int requires; remove the tag, or change "
         "the value"},
    });
}

TEST_CASE("all mistakes are reported at once, ordered by line and counted") {
    check_mistakes(
        R"(run_cap: many
metric: {goal: maximise}
metric: {name: loss}
seed: !path 3
parameters:
  lr: {distribution: normal, mu: 0, sigma: 0}
  width: {values: [16, [.nan], null]}
  depth: {min: a, max: b}
  act: {vales: [relu]}
scheduler: {type: bohb, max: 0, reduction_factor: 1, mod: stop}
budget: {time: 60}
)",
        {"sweep.yaml:1:1: run_cap: 'many' is text", "sweep.yaml:3:1: metric: is given twice, first on line 2",
         "sweep.yaml:4:1: seed: has the tag !path, which means nothing here",
         "sweep.yaml:6:3: parameters.lr: sigma is 0 (it is the spread of the values)",
         "sweep.yaml:7:24: parameters.width.values[1]: contains a value that is not a finite number",
         "sweep.yaml:8:11: parameters.depth.min: 'a' is text", "sweep.yaml:8:19: parameters.depth.max: 'b' is text",
         "sweep.yaml:9:9: parameters.act.vales: unknown key",
         "sweep.yaml:10:13: scheduler.type: 'bohb' is not supported by this version",
         "sweep.yaml:10:25: scheduler.max: max is 0 and min is 1 (no trial could reach the first rung)",
         "sweep.yaml:10:33: scheduler.reduction_factor: reduction_factor is 1 (a rung must drop some",
         "sweep.yaml:10:54: scheduler.mod: unknown key", "sweep.yaml:11:10: budget.time: 60 is not a duration"});
}

TEST_CASE("a mistake causes no second message") {
    std::vector<std::string> texts{
        // Without its budget nothing would end the sweep; without its scheduler it would be rasda, which needs a
        // trainer.
        sound_with("run_cap: 27", "budget: {tme: 1h}"),
        "metric: {name: x}\nrun_cap: 3\nparameters: {lr: {value: 1}}\ncommand: [train, '${lr}']\n",
        sound_with("type: asha", "type: ash\n  brackets: 2"),
        sound_with_parameter("lr: {value: !path x}\ncommand: [train, '${lr}']"),
        sound + "program: [a]\ncommand: [python3, '${program}']\n",
    };
    for (const std::string key : {"metric", "run_cap", "parameters", "scheduler", "max"}) {
        texts.push_back(sound_with(key + ":", "x" + key + ":"));
    }

    for (const auto& text : texts) {
        CAPTURE(text);
        CHECK(error_in(text).find('\n') == std::string::npos);
    }
    const auto text = sound_with("  max: 27\n", "  max: x\n  min: 3\n  brackets: 2\n");
    CHECK(error_in(text).find("brackets") == std::string::npos);
}

TEST_CASE("all mistakes in a W&B file are reported at once") {
    check_mistakes(
        R"(command:
  - ${env}
  - PYTHONPATH=${PYTHONPATH}
  - python
  - ${args}
method: grid
RUN: 1
metric: {name: acc, goal: maximize}
parameters:
  dropout: {min: 0.1, max: 0.5}
  epochs: 10
  seed: {values: {a: 1}}
  lr: {value: 0.1}
  lr: {value: 0.2}
)",
        {"sweep.yaml:7:1: RUN: unknown key", "sweep.yaml:11:3: parameters.epochs: 10 is a whole number",
         "sweep.yaml:12:10: parameters.seed.values: this is a map",
         "sweep.yaml:14:3: parameters.lr: is given twice, first on line 13"});
}

TEST_CASE("a grid needs values to list, and a macro for an environment variable needs a prefix") {
    CHECK(error_in(sound + "method: grid\n") ==
          "sweep.yaml:4:3: parameters.lr: has infinitely many values (a grid tries each of them once); list some with "
          "values: [...], use a distribution of whole numbers or q_uniform with a q, or use method: random");
    CHECK(error_in(sound + "command: [env, 'P=${PYTHONPATH}']\n")
              .starts_with("sweep.yaml:10:16: command[1]: ${PYTHONPATH} is neither a macro nor a parameter; for an "
                           "environment variable, write ${envvar:PYTHONPATH}; use one of args, "));
}

TEST_CASE("a name that cannot name a folder is refused") {
    CHECK(error_in(sound + "name: a/b\n") ==
          "sweep.yaml:10:1: name: 'a/b' cannot name the sweep's folder; use a name that has no '/' and does not start "
          "with '-'; --dir chooses another place for the folder");
    CHECK(error_in(sound + "name: ..\n").find("cannot name the sweep's folder") != std::string::npos);
    CHECK(error_in(sound + "name: -x\n").find("cannot name the sweep's folder") != std::string::npos);
}

TEST_CASE("the message about a script in place of a sweep file says where it belongs") {
    const auto error_in_script = [](const std::string& text) {
        return error_of([&] { parse_sweep(text, "src/train.py"); });
    };
    CHECK(error_in_script("import sys\nif True: x = {1: 2}\n") ==
          "src/train.py: is a program; give a sweep file that names it with `program: src/train.py`");
    CHECK(error_in_script("import wandb\nwandb.sweep({})\n")
              .ends_with("; `python3 -m crescendo.wandb --sweep-file src/train.py > sweep.yaml` writes it"));
}

TEST_CASE("the message about invalid YAML gives its position") {
    check_errors({
        {"", "sweep.yaml:1:1: the file is empty"},
        {"# nothing yet\n", "sweep.yaml:1:1: the file is empty"},
        {"just text\n", "sweep.yaml:1:1: the file is not a map; write it as lines of `key: value`"},
        {"metric:\n\tname: loss\n",
         "sweep.yaml:2:6: this is not YAML (illegal map value): the line is indented with a tab; use spaces"},
        {"command: [python3, ${args}]\n",
         "sweep.yaml:1:21: this is not YAML (end of sequence flow not found): inside [ ], a word with ${ needs quotes, "
         "such as \"${args}\""},
        {"command: [\"${args}\", {]\n",
         "sweep.yaml:1:23: this is not YAML (illegal flow end): check indentation, brackets and quotes near here, and "
         "put text that contains any of : # { } [ ] , in quotes"},
        {"report: {pattern: \"\\d\"}\n",
         "sweep.yaml:1:22: this is not YAML (unknown escape character: d): in double quotes, \\ begins an escape; put "
         "the text in single quotes, such as '\\d+'"},
        {"a: 1\nname: gr\xF6\xDF"
         "e\n",  // Latin-1
         "sweep.yaml:2:9: the byte 0xF6 is not valid UTF-8; save the file as UTF-8"},
        {"name: \xC3", "sweep.yaml:1:7: the byte 0xC3 is not valid UTF-8; save the file as UTF-8"},
        {std::string("\x7F"
                     "ELF\x02\0\0",
                     7),
         "sweep.yaml:1:6: the byte 0x00 does not belong in text; this file is not YAML"},
        {"a: 1\n---\nb: 2\n",
         "sweep.yaml:2:1: a second YAML document begins here; use one document of `key: value` lines"},
    });
    CHECK(error_in("a: &x [*x]\n").find("is nested more than 32 levels deep; does an alias contain itself?") !=
          std::string::npos);
    CHECK(error_in("a: &x [1: *x, 2: *x]\n").size() < 1000);  // one mistake
    check_errors({
        {sound + "name: !path b\n", "sweep.yaml:10:1: name: has the tag !path, which means nothing here; remove it"},
        {"? [a, b]\n: 1\n",
         "sweep.yaml:1:1: a key is itself a map, a list or empty; use text (braces and '?' in text need quotes)"},
    });
}
