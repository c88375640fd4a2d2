/// A user's mistakes cause one clear message and exit code 2, and leave nothing half-written.

#include <doctest/doctest.h>

#include "tests/contains.hpp"
#include "tests/e2e/command.hpp"
#include "tests/variable.hpp"

using namespace crescendo::tests;

namespace {

const std::string sound = R"(name: sweep
metric: {name: loss, goal: minimize}
run_cap: 3
parameters:
  x: {min: 1, max: 9}
scheduler: {type: asha, min: 1, max: 4, reduction_factor: 2}
command: [bash, train.sh, "${args}"]
)";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    REQUIRE(text.find(what) != std::string::npos);
    return text.replace(text.find(what), what.size(), by);
}

void check_refused(const std::string& sweep, const std::string& message) {
    CAPTURE(message);
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml", sweep);
    write_file(folder / "train.sh", "exit 1");

    const auto result = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(result.code == 2);
    CHECK_MESSAGE(result.err.find(message) != std::string::npos, result.err);
    CHECK_FALSE(fs::exists(folder / "sweep"));
}

}  // namespace

TEST_CASE("messages about mistakes in a sweep file name the file, the line and the key") {
    check_refused(replaced(sound, "run_cap", "runcap"), "sweep.yaml:3:1: runcap: ");
    check_refused(replaced(sound, "run_cap: 3", "run_cap: many"), "sweep.yaml:3:");
    check_refused(replaced(sound, "{min: 1, max: 9}", "{min: 9, max: 1}"), "sweep.yaml:5:");
    check_refused(replaced(sound, "{min: 1, max: 9}", "{distribution: log_uniform_values, min: 0, max: 1.0}"),
                  "sweep.yaml:5:");
    for (const std::string max : {"1099511627776", "2000000000000"}) {
        check_refused(replaced(sound, "max: 4", "max: " + max),
                      "scheduler.max: is " + max + ", but a resource is at most 1099511627775");
    }
    check_refused(replaced(sound, "[bash,", "[no-such-program,"), "there is no program 'no-such-program'");
    check_refused(replaced(sound, "\"${args}\"", "\"${arg}\""), "${arg}");
    check_refused(replaced(sound, "command: [bash, train.sh, \"${args}\"]\n", ""), "nothing to train");
}

TEST_CASE("a folder in place of a sweep file is refused, and the message names the file in it") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "old");
    const auto empty = run_crescendo(folder.path(), {"validate", "old"});
    write_file(folder / "old/sweep.yaml", sound);

    const auto result = run_crescendo(folder.path(), {"validate", "old"});

    CHECK(empty.err == "crescendo: cannot read old: Is a directory; give a file in it\n");
    CHECK(result.code == 2);
    CHECK(result.err == "crescendo: cannot read old: Is a directory; give old/sweep.yaml\n");
}

TEST_CASE("a program that grows in place needs a max, so that its trials end") {
    const auto waiting = sound + "grow: in_place\n";

    check_refused(replaced(waiting, "scheduler: {type: asha, min: 1, max: 4, reduction_factor: 2}\n", ""),
                  "scheduler: is missing: without it, a program with `grow: in_place` would train forever");
    check_refused(replaced(waiting, "scheduler: {type: asha, min: 1, max: 4, reduction_factor: 2}",
                           "early_terminate: {type: hyperband, min_iter: 3}"),
                  "early_terminate.max_iter: is missing: without it, a program with `grow: in_place` would train "
                  "forever");
}

TEST_CASE("missing programs and scripts are refused before anything runs") {
    check_refused(replaced(sound, "command: [bash, train.sh, \"${args}\"]", "program: missing.py"),
                  "sweep.yaml:7:1: program: there is no file 'missing.py'; programs run in the folder where ");
    check_refused(replaced(sound, "train.sh", "missing.sh"),
                  "sweep.yaml:7:17: command[1]: there is no file 'missing.sh'");
    check_refused(replaced(sound, "bash, train.sh", "./train.sh"),
                  "sweep.yaml:7:11: command[0]: './train.sh' is not executable; run `chmod +x ./train.sh`");
    check_refused(replaced(sound, "bash, train.sh", "env, A=1, no-such-python, train.py"),
                  "sweep.yaml:7:21: command[2]: there is no program 'no-such-python'");
    check_refused(replaced(sound, "bash, train.sh", "/usr/bin/env, A=1, python3, -u, src/train.py"),
                  "sweep.yaml:7:43: command[4]: there is no file 'src/train.py'");
}

TEST_CASE("the message about a missing program or script suggests what was meant") {
    check_refused(
        replaced(sound, "command: [bash, train.sh, \"${args}\"]", "program: train.sh --bs 3"),
        "there is no file 'train.sh --bs 3'; write each word as a separate item, as in command: [bash, train.sh, --bs, "
        "3, \"${args}\"]");
    check_refused(sound + "on_finish: [\"sh -c done\"]\n",
                  "sweep.yaml:8:13: on_finish[0]: there is no program 'sh -c done'; write each word as a separate "
                  "item");
    check_refused(sound + "on_finish: sh -c done\n",
                  "on_finish: 'sh -c done' is text; use a list of strings, such as [sh, \"-c\", done]");
}

TEST_CASE("the message about a script next to a sweep file in another folder gives its path") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "scripts");
    write_file(folder / "scripts/sweep.yaml",
               replaced(sound, "command: [bash, train.sh, \"${args}\"]", "program: out.py"));
    write_file(folder / "scripts/out.py", "");

    const auto refused = run_crescendo(folder.path(), {"validate", "scripts/sweep.yaml"});

    CHECK(refused.code == 2);
    CHECK_MESSAGE(
        refused.err.find("program: there is no file 'out.py'; it is next to the sweep file, but programs run in the "
                         "folder where crescendo is started; write scripts/out.py, or start crescendo in scripts") !=
            std::string::npos,
        refused.err);
}

TEST_CASE("a command that is the same for all trials causes a warning") {
    const TemporaryFolder folder;
    write_file(folder / "train.sh", "");
    write_file(folder / "sweep.yaml", replaced(sound, ", \"${args}\"", ""));
    const auto warned = run_crescendo(folder.path(), {"validate", "sweep.yaml"});
    write_file(folder / "sweep.yaml", replaced(sound, "\"${args}\"", "\"rate=${x}\""));
    const auto silent = run_crescendo(folder.path(), {"validate", "sweep.yaml"});

    CHECK(warned.code == 0);
    CHECK(
        warned.err.starts_with("crescendo: warning: sweep.yaml:7:1: command: has neither ${args} nor a parameter, such "
                               "as ${x}, so all trials get the same arguments"));
    CHECK(warned.out.find("sweep.yaml: valid; 1 parameter, metric loss, 3 trials") != std::string::npos);
    CHECK(silent.code == 0);
    CHECK(silent.err.empty());
}

TEST_CASE("a W&B script that a command starts causes a warning, unless the adapter runs it") {
    const TemporaryFolder folder;
    write_file(folder / "train.py", "import wandb\n");
    write_file(folder / "sweep.yaml", replaced(sound, "bash, train.sh", "python3, train.py"));
    const auto warned = run_crescendo(folder.path(), {"validate", "sweep.yaml"});
    write_file(folder / "sweep.yaml",
               replaced(sound, "bash, train.sh, \"${args}\"", "python3, -m, crescendo.wandb, train.py"));
    const auto silent = run_crescendo(folder.path(), {"validate", "sweep.yaml"});

    CHECK(warned.code == 0);
    CHECK(warned.err ==
          "crescendo: warning: sweep.yaml:7:20: command[1]: calls wandb, but crescendo does not receive what it passes "
          "to wandb.log; write `-m, crescendo.wandb,` before it, after python3\n");
    CHECK(silent.err.empty());
}

TEST_CASE("a module that calls wandb, and a launcher that closes CRESCENDO_FD, cause warnings") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "pkg");
    write_file(folder / "pkg/train.py", "import os, wandb\n");
    write_file(folder / "sweep.yaml", replaced(sound, "bash, train.sh", "python3, -m, pkg.train"));
    const auto module = run_crescendo(folder.path(), {"validate", "sweep.yaml"});
    write_file(folder / "torchrun", "");
    fs::permissions(folder / "torchrun", fs::perms::owner_all);
    write_file(folder / "sweep.yaml", replaced(sound, "bash, train.sh", "./torchrun, train.py"));
    const auto launcher = run_crescendo(folder.path(), {"validate", "sweep.yaml"});

    CHECK(
        module.err.starts_with("crescendo: warning: sweep.yaml:7:20: command[1]: calls wandb, but crescendo does not "
                               "receive what it passes to"));
    CHECK(launcher.code == 0);
    CHECK(
        launcher.err.starts_with("crescendo: warning: sweep.yaml:7:11: command[0]: ./torchrun closes CRESCENDO_FD, "
                                 "through which a program reports"));
}

TEST_CASE("an output folder that all trials share causes a warning") {
    const TemporaryFolder folder;
    write_file(folder / "train.sh", "");
    write_file(folder / "sweep.yaml", replaced(sound, "train.sh,", "train.sh, --output_dir=out,"));
    const auto warned = run_crescendo(folder.path(), {"validate", "sweep.yaml"});
    write_file(folder / "sweep.yaml", replaced(sound, "train.sh,", "train.sh, \"--output_dir=${trial_dir}/out\","));
    const auto silent = run_crescendo(folder.path(), {"validate", "sweep.yaml"});
    write_file(folder / "sweep.yaml", replaced(sound, "  x:", "  output_dir: {value: out}\n  x:"));
    const auto constant = run_crescendo(folder.path(), {"validate", "sweep.yaml"});

    CHECK(warned.code == 0);
    CHECK(warned.err.starts_with("crescendo: warning: sweep.yaml:7:27: command[2]: is the same folder for all trials"));
    CHECK(silent.err.empty());
    CHECK(constant.err.starts_with("crescendo: warning: sweep.yaml:5:3: parameters.output_dir: is the same folder for"));
}

TEST_CASE("conda run, which closes CRESCENDO_FD and holds back output, causes a warning") {
    const TemporaryFolder folder;
    write_file(folder / "conda", "");
    fs::permissions(folder / "conda", fs::perms::owner_all);
    const auto warned = [&](const std::string& words, const std::string& report) {
        write_file(folder / "sweep.yaml", replaced(sound, "bash, train.sh", "./conda, " + words) + report);
        return run_crescendo(folder.path(), {"validate", "sweep.yaml"}).err;
    };
    const std::string printed = "report: {pattern: 'loss=(?P<loss>[^,]+)'}\n";

    CHECK(contains(warned("run, -n, mine, python3, train.py", ""),
                   "`conda run` closes CRESCENDO_FD, through which a program reports"));
    CHECK(contains(warned("run, -n, mine, python3, train.py", printed), "add --no-capture-output after run"));
    CHECK(warned("run, --no-capture-output, -n, mine, python3, train.py", printed).empty());
}

TEST_CASE("mistakes in the file, missing scripts, and problems that the trainer finds are reported at once") {
    const TemporaryFolder folder;
    write_file(folder / "check.sh",
               "#!/bin/sh\ncat >/dev/null\n"
               "echo '{\"problems\":[{\"key\":\"trainer.model\",\"message\":\"no\"}]}'\n");
    fs::permissions(folder / "check.sh", fs::perms::owner_all);
    const Variable checks("CRESCENDO_TRAINER", folder / "check.sh");
    const auto mistaken = replaced(replaced(sound, "run_cap: 3", "run_cap: many"), "max: 4", "max: 0");
    const auto trainer = "trainer: {model: cnm}";

    write_file(folder / "sweep.yaml", replaced(mistaken, "command: [bash, train.sh, \"${args}\"]", trainer));
    const auto with_trainer = run_crescendo(folder.path(), {"validate", "sweep.yaml"});
    write_file(folder / "sweep.yaml", replaced(mistaken, "train.sh", "missing.sh"));
    const auto with_command = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(with_trainer.code == 2);
    CHECK(with_trainer.err ==
          "crescendo: sweep.yaml:3:1: run_cap: 'many' is text; use a whole number, such as 3, without quotes\n"
          "sweep.yaml:6:33: scheduler.max: max is 0 and min is 1 (no trial could reach the first rung); use a max "
          "of at least 1\n"
          "sweep.yaml:7:11: trainer.model: no\n"
          "3 mistakes\n");
    CHECK(with_command.code == 2);
    CHECK(with_command.err.find("there is no file 'missing.sh'") != std::string::npos);
    CHECK(with_command.err.find("3 mistakes\n") != std::string::npos);
}

TEST_CASE("an invalid time-out in the environment is refused before anything is written") {
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml", sound);
    write_file(folder / "train.sh", "exit 1");
    const Variable timeout("CRESCENDO_SAVE_TIMEOUT", "10m");

    const auto result = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(result.code == 2);
    CHECK(result.err.find("CRESCENDO_SAVE_TIMEOUT=10m: is not a number of seconds") != std::string::npos);
    CHECK_FALSE(fs::exists(folder / "sweep"));
}

TEST_CASE("a journal damaged in the middle is refused and left as it is") {
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml", sound);
    write_file(folder / "train.sh",
               "echo '{\"resource\":4,\"metrics\":{\"loss\":1}}' >&$CRESCENDO_FD; read -r reply <&$CRESCENDO_FD");
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);
    auto journal = content_of(folder / "sweep/journal.jsonl");
    journal[journal.find("trial_reported")] = 'T';
    write_file(folder / "sweep/journal.jsonl", journal);

    for (const char* command : {"resume", "status"}) {
        const auto result = run_crescendo(folder.path(), {command, "sweep"});

        CHECK(result.code == 2);
        CHECK(result.err.find("journal.jsonl:") != std::string::npos);
    }
    CHECK(content_of(folder / "sweep/journal.jsonl") == journal);
}

TEST_CASE("tasks that do not know of each other are refused") {
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml", sound);
    const Variable tasks("SLURM_STEP_NUM_TASKS", "4");

    const auto result = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(result.code == 2);
    CHECK(result.err.find("4 tasks were started") != std::string::npos);
    CHECK_FALSE(fs::exists(folder / "sweep"));
}

TEST_CASE("messages about unknown commands and options suggest the nearest known one") {
    const TemporaryFolder folder;
    const auto error_of = [&](const std::vector<std::string>& words) {
        const auto result = run_crescendo(folder.path(), words);
        CHECK(result.code == 2);
        return result.err;
    };

    CHECK(error_of({"trails", "sweep"})
              .find("'trails' is an unknown command (did you mean 'trials'?); crescendo has run, resume, ") == 11);
    CHECK(error_of({"sweep.yaml"}) ==
          "crescendo: 'sweep.yaml' is not a command; `crescendo run sweep.yaml` runs a sweep file\n");
    CHECK(error_of({"history"}).find("'history' is an unknown command; crescendo has run, ") == 11);
    CHECK(
        error_of({"run", "sweep.yaml", "--slot", "3"}) ==
        "crescendo: '--slot' is an unknown option (did you mean '--slots'?); `crescendo run --help` shows the usage\n");
    CHECK(error_of({"status", "--fromat=json"}).find("(did you mean '--format'?)") != std::string::npos);
    CHECK(error_of({"status", "a", "b"}) ==
          "crescendo: 'b' is an unknown argument; `crescendo status --help` shows the usage\n");
}

TEST_CASE("messages about values on the command line have the same form, and name the command that shows the help") {
    const TemporaryFolder folder;
    const auto value = run_crescendo(folder.path(), {"simulate", "--slots", "0", "sweep.yaml"});
    const auto missing = run_crescendo(folder.path(), {"validate"});

    CHECK(value.code == 2);
    CHECK(value.err.starts_with("crescendo: --slots: "));
    CHECK(value.err.ends_with("; `crescendo simulate --help` shows the usage\n"));
    CHECK(missing.code == 2);
    CHECK(missing.err.ends_with(" is required; `crescendo validate --help` shows the usage\n"));
}

TEST_CASE("a call without a command ends with 2, and a call for the version ends with 0") {
    const TemporaryFolder folder;

    const auto version = run_crescendo(folder.path(), {"--version"});

    CHECK(run_crescendo(folder.path(), {}).code == 2);
    CHECK(version.code == 0);
    CHECK(version.out.starts_with("crescendo "));
}
