#include "launch/sweep_file/sweep_command.hpp"

#include <doctest/doctest.h>

#include "tests/launch/sweep_file/remark_on.hpp"
#include "tests/launch/sweep_file/sound_sweep.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("a program without a command has W&B's default command") {
    const auto file = parse("program: train.py\n");

    CHECK(file.command == std::vector<std::string>{"${env}", "${interpreter}", "${program}", "${args}"});
    CHECK(file.program == "train.py");
}

TEST_CASE("the words of a command are text as written, whatever they look like") {
    CHECK(parse("command: [./train, --gpus, 2, 1e-5, 007, true, '3', 1_000]\n").command ==
          std::vector<std::string>{"./train", "--gpus", "2", "1e-5", "007", "true", "3", "1_000"});
}

TEST_CASE("a command is kept with its macros") {
    const auto file = parse("command: [bash, train.sh, \"--rate=${lr}\", '3']\n");

    CHECK(file.command == std::vector<std::string>{"bash", "train.sh", "--rate=${lr}", "3"});
}

TEST_CASE("a program that grows in place stays from trial to trial and may have a final test") {
    const auto plain = parse("command: [./train]\n");
    const auto growing = parse("command: [./train]\ngrow: in_place\nfinal_test: on\n");

    CHECK_FALSE(plain.has_warm_trainers());
    CHECK_FALSE(plain.has_final_test());
    CHECK(growing.has_warm_trainers());
    CHECK(growing.has_final_test());
    CHECK(parse("trainer: {data: {train: a, test: b}}\n").has_final_test());
    CHECK_FALSE(parse("trainer: {data: {train: a}}\n").has_final_test());
}

TEST_CASE("rungs and the trainer count in the same unit") {
    const auto with = [](const std::string& resource, const std::string& trainer) {
        auto text = sound;
        return text.insert(text.find("  min:"), resource) + trainer;
    };

    check_errors({
        {with("  resource: steps\n", "trainer: {report: {every: 500, unit: samples}}\n"),
         "sweep.yaml:7:3: scheduler.resource: is steps, but the trainer counts samples, and min and max are in its "
         "unit; write resource: samples, or trainer: {report: {unit: steps}}"},
        {with("  resource: steps\n", "trainer: {model: cnn}\n"),
         "sweep.yaml:7:3: scheduler.resource: is steps, but the trainer counts epochs, and min and max are in its "
         "unit; write resource: epochs, or trainer: {report: {unit: steps}}"},
        {with("  resource: steps\n", "trainer: {report: {unit: steps}}\n"), "no error"},
        {with("", "trainer: {report: {unit: steps}}\n"), "no error"},                 // resource is not given
        {with("  resource: steps\n", "trainer: {report: {unit: 3}}\n"), "no error"},  // the trainer refuses it
        {with("  resource: steps\n", "command: [train]\n"), "no error"},
    });
    const auto error = error_in(with("  resource: turns\n", "trainer: {model: cnn}\n"));
    CHECK(error.find('\n') == std::string::npos);  // one mistake
}

TEST_CASE("a program that keeps its workers cannot grow") {
    const auto growing = [](const std::string& more) {
        return sound_with("scheduler:\n  type: asha", "command: [train]\n" + more + "scheduler:\n  type: rasda");
    };

    check_errors({
        {sound_with("type: asha", "type: rasda"), "no error"},
        {sound + "command: [train]\n", "no error"},
        {sound_with("scheduler:\n", "command: [train]\nscheduler:\n  workers: 2\n"), "no error"},
        {growing(""),
         "sweep.yaml:7:3: scheduler.type: rasda grows surviving trials, but this program keeps its workers; outside "
         "scheduler, add `grow: restart` if it can continue from its checkpoint with another WORLD_SIZE, or `grow: "
         "in_place` (docs/your-own-program.md); otherwise use type: asha"},
        {growing("grow: restart\n"), "no error"},
        {growing("grow: in_place\n"), "no error"},
    });
}

TEST_CASE("the key grow of a program needs a program, and stands outside the scheduler") {
    check_errors({
        {sound + "grow: in_place\n",
         "sweep.yaml:10:1: grow: is a key for the program of `command:`, but there is no program; remove it"},
        {sound + "trainer: {model: cnn}\nfinal_test: on\n",
         "sweep.yaml:11:1: final_test: is a key for the program of `command:`, but there is no program; remove it"},
        {sound + "command: [train]\ngrow: eager\n",
         "sweep.yaml:11:1: grow: is how a program of `command:` grows; eager is a value of scheduler.grow, so write it "
         "there"},
        {sound_with("type: asha", "type: rasda\n  grow: in_place"),
         "sweep.yaml:7:3: scheduler.grow: in_place is how a program of `command:` grows; write it outside scheduler"},
        {sound + "command: [train]\nfinal_test: on\n",
         "sweep.yaml:11:1: final_test: is on, but only a program with `grow: in_place` can be asked to test a "
         "checkpoint; remove it"},
    });
}

TEST_CASE("a program that grows in place starts before its parameters are known") {
    const auto with = [](const std::string& word) {
        return error_in(sound + "grow: in_place\ncommand: [python3, train.py, \"" + word + "\"]\n");
    };

    CHECK(with("${args}") == "no error");
    CHECK(with("--batch-size=32") == "no error");
    for (const std::string word : {"${lr}", "--rate=${lr}", "${args_json}", "${args_no_hyphens}"}) {
        CHECK(with(word) ==
              "sweep.yaml:11:30: command[2]: '" + word +
                  "' differs between trials, but with `grow: in_place` the program starts before its trials; each "
                  "trial then brings its parameters as named arguments (--lr=0.01); write ${args}");
    }
}

TEST_CASE("a pattern that calls the resource epoch, so that each step counts as an epoch, gets a remark") {
    const auto doubt = [](const std::string& pattern) {
        const auto file = parse("command: [train]\nreport: {pattern: '" + pattern + "'}\n");
        return remark_on(file, "report.pattern");
    };

    CHECK(doubt("(?P<epoch>\\d+) (?P<val_loss>.*)") ==
          "has no group 'resource', so reports are counted, and the group 'epoch' is a metric; if epoch measures a "
          "trial's progress, name the group resource");
    CHECK(doubt("(?P<resource>\\d+) (?P<step>\\d+) (?P<val_loss>.*)").empty());
    CHECK(doubt("(?P<val_loss>.*)").empty());
}

TEST_CASE("mistakes in the pattern or file of a program's reports are refused") {
    const auto with = [](const std::string& report, const std::string& more = "command: [train]\n") {
        return error_in(sound + more + "report: " + report + "\n");
    };

    CHECK(with("{pattern: 'epoch (?P<resource>\\d+) (?P<val_loss>.*)'}") == "no error");
    CHECK(with("{pattern: ['(?P<resource>\\d+)', '(?P<val_loss>.*)'], counts_from: 0}") == "no error");
    CHECK(with("{file: reports.jsonl}") == "no error");
    CHECK(with("{pattern: '(?P<resource>\\d+) (?P<val_loss>.*)', file: log}") == "no error");
    CHECK(with("{pattern: '(?P<val_loss>.*)', file: log}")
              .starts_with("sweep.yaml:11:10: report.pattern: has no group 'resource', but reports in a file "));
    CHECK_NOTHROW(parse_sweep(sound + "command: [train]\nreport: {pattern: '(?P<val_loss>.*)', file: log}\n",
                              "sweep.yaml", {}, SweepStage::goes_on));
    CHECK(with("{pattern: '(?P<loss>.*)'}")
              .starts_with("sweep.yaml:11:10: report.pattern: has no group for 'val_loss', the sweep's metric.name"));
    CHECK(with("{pattern: '(?P<val_loss>'}")
              .starts_with("sweep.yaml:11:10: report.pattern: is not a regular expression: "));
    CHECK(with("{pattern: '(?P<val_loss>.*)', counts_from: 2}") ==
          "sweep.yaml:11:39: report.counts_from: is 2; use 0 if the program calls its first epoch 0, else 1");
    CHECK(with("{counts_from: 0}").starts_with("sweep.yaml:11:1: report.pattern: is missing: "));
    CHECK(with("{pattern: '(?P<val_loss>.*)'}", "trainer: {model: cnn}\n")
              .starts_with("sweep.yaml:11:1: report: finds the reports of a program, but there is no `command:`"));
    CHECK(with("{pattern: '(?P<val_loss>.*)'}", "command: [train]\ngrow: in_place\n")
              .starts_with("sweep.yaml:12:1: report: finds the reports of a program that does not send them"));
}

TEST_CASE("a sweep has either a trainer or a valid command") {
    check_errors({
        {sound + "trainer: {model: cnn}\ncommand: [train]\n",
         "sweep.yaml:11:1: command: both trainer and this say what to run; remove one of the two"},
        {sound + "trainer: {model: cnn}\nprogram: train.py\n",
         "sweep.yaml:11:1: program: both trainer and this say what to run; remove one of the two"},
        {sound + "command: []\n",
         "sweep.yaml:10:1: command: is an empty list; write the program and its arguments: [python3, train.py, "
         "\"${args}\"]"},
        {sound + "command: [train, '${rl}']\n",
         "sweep.yaml:10:18: command[1]: ${rl} is neither a macro nor a parameter (did you mean 'lr'?); use one of "
         "args, args_no_equals, args_no_hyphens, args_no_boolean_flags, args_argparse, args_append_hydra, "
         "args_override_hydra, args_json, args_json_file, env, interpreter, lr, max_resource, program, seed, slots, "
         "trial and trial_dir"},
        {sound + "trainer: {clip: .inf}\n",
         "sweep.yaml:10:11: trainer.clip: is not a finite number, but settings must be finite; remove the key, or use "
         "a large number"},
    });
}
