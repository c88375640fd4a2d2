/// Programs that fail or misbehave, in sweeps of one process.

#include <doctest/doctest.h>

#include "tests/e2e/program_sweep.hpp"

using namespace crescendo::tests;

namespace {

/// Puts this process and its children into a control group with little memory (cgroup v1).
class LittleMemory {
  public:
    LittleMemory() {
        std::ifstream groups("/proc/self/cgroup");
        for (std::string line; std::getline(groups, line);) {
            if (const auto at = line.find(":memory:"); at != std::string::npos) {
                parent_ = "/sys/fs/cgroup/memory" + line.substr(at + 8);
            }
        }
        std::error_code refused;
        group_ = parent_ / ("crescendo-test-" + std::to_string(::getpid()));
        works_ = !parent_.empty() && fs::create_directory(group_, refused);
        if (works_) {
            // More than four times what crescendo takes under a sanitizer (0.7 GB, most of it the sanitizer and the
            // text of the program): the kernel kills the largest process.
            write_file(group_ / "memory.limit_in_bytes", "3G");
            enter(group_);
        }
    }
    ~LittleMemory() {
        if (works_) {
            enter(parent_);
            ::rmdir(group_.c_str());
        }
    }
    LittleMemory(LittleMemory&&) = delete;
    LittleMemory& operator=(LittleMemory&&) = delete;

    bool works() const { return works_; }

  private:
    static void enter(const fs::path& group) { write_file(group / "cgroup.procs", std::to_string(::getpid())); }

    fs::path parent_;
    fs::path group_;
    bool works_ = false;
};

}  // namespace

TEST_CASE("a program that the kernel kills for lack of memory counts as out of memory") {
    const TemporaryFolder folder;
    write_sweep(folder.path(),
                "if [ $CRESCENDO_TRIAL = 2 ] && mkdir \"$CRESCENDO_TRIAL_DIR/once\"; then exec tail /dev/zero; fi");
    const LittleMemory memory;
    if (!memory.works()) {
        MESSAGE("skipped: control groups of memory (v1) cannot be made here");
        return;
    }

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK_MESSAGE(run.out.find("trial 2 ran out of memory: killed by signal 9") != std::string::npos, run.out);
    CHECK(trials_of(folder.path()).at(2).at("failures") == 1);
}

TEST_CASE("a program that refuses its arguments is tried only once") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "echo 'usage: train.sh --y=Y' >&2; exit 2");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 1);
    CHECK(run.out.find("giving up: ") != std::string::npos);
    CHECK_MESSAGE(run.out.find("exit status 2; last words: usage: train.sh --y=Y") != std::string::npos, run.out);
    for (const auto& trial : trials_of(folder.path())) {
        CHECK(trial.at("failures") <= 1);
    }
}

TEST_CASE("the message about an option that a program does not know says how parameters are named") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "echo 'train.py: error: unrecognized arguments: --hidden_size=4' >&2; exit 2");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 1);
    CHECK_MESSAGE(run.out.find("--hidden_size=4\na parameter needs the exact name of the program's option, including - "
                               "and _") != std::string::npos,
                  run.out);
}

TEST_CASE("messages suggest the adapter if W&B wants an account, and a macro if flags take no value") {
    const auto advised = [](const std::string& complaint) {
        const TemporaryFolder folder;
        write_sweep(folder.path(), "echo '" + complaint + "' >&2; exit 1");
        return run_crescendo(folder.path(), {"run", "sweep.yaml"}).out;
    };

    CHECK(advised("wandb.errors.UsageError: No API key configured").find("[python3, -m, crescendo.wandb, train.py") !=
          std::string::npos);
    for (const char* complaint : {"Error: Option --use-bn does not take a value.", "Unrecognized options: False"}) {
        CHECK(advised(complaint).find("${args_no_boolean_flags}") != std::string::npos);
        CHECK(advised(complaint).find("search `no-flag` instead of `flag`") != std::string::npos);
    }
}

TEST_CASE("a sweep whose trials all failed says how to start over with another file") {
    const TemporaryFolder folder;
    write_file(folder / "one.yaml", "metric: {name: loss}\nrun_cap: 1\nparameters: {x: {min: 1, max: 9}}\n"
                                    "command: [bash, -c, 'exit 2', \"${args}\"]\n");

    const auto run = run_crescendo(folder.path(), {"run", "one.yaml"});

    CHECK_MESSAGE(run.out.find("every trial failed") != std::string::npos, run.out);
    CHECK_MESSAGE(
        run.out.find("  rm -r one; crescendo run FILE        starts over with your file") != std::string::npos,
        run.out);
}

TEST_CASE("wrong arguments in one configuration cost only that trial") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "case $CRESCENDO_TRIAL in 0 | 4) echo x is out of range >&2; exit 2 ;; esac");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.out);
    const auto trials = trials_of(folder.path());
    for (const int trial : {0, 4}) {
        CHECK(trials.at(trial).at("status") == "failed");
        CHECK(trials.at(trial).at("failures") == 1);
    }
}

TEST_CASE("a program that was killed between its checkpoint and its report sends the report when it is resumed") {
    const TemporaryFolder folder;
    write_sweep(folder.path(),
                "done=$(cat $CRESCENDO_TRIAL_DIR/done 2>/dev/null || echo 0); [ $r -lt $done ] && continue; "
                "echo $r > $CRESCENDO_TRIAL_DIR/done; "
                "[ $CRESCENDO_TRIAL = 2 ] && [ $r = 3 ] && mkdir $CRESCENDO_TRIAL_DIR/once && kill -9 $$",
                "", "fifo");

    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);

    CHECK(trials_of(folder.path()).at(2).at("failures") == 1);
    CHECK(resources_by_trial(folder / "bash").at(2) == std::vector{1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("the Python example, killed between its checkpoint and its report, loses nothing") {
    const TemporaryFolder folder;
    // Python imports this first. Once per trial, it kills the program right after its second checkpoint.
    write_file(folder / "sitecustomize.py", R"(
import os, signal
replace, saved = os.replace, []
def replace_and_die(*paths):
    replace(*paths)
    saved.append(paths)
    mark = os.environ["CRESCENDO_TRIAL_DIR"] + "/once"
    if len(saved) == 2 and not os.path.exists(mark):
        os.mkdir(mark)
        os.kill(os.getpid(), signal.SIGKILL)
os.replace = replace_and_die
)");
    write_file(folder / "sweep.yaml",
               "name: s\nmetric: {name: val_loss}\nrun_cap: 2\nslots: 2\n"
               "parameters: {lr: {min: 0.1, max: 1.0}}\nscheduler: {type: fifo, max: 3}\n"
               "command: [env, PYTHONPATH=" +
                   folder.path().string() + ", python3, " CRESCENDO_EXAMPLES "/python/train.py, \"${args}\"]\n");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.out);
    for (const auto& trial : run_crescendo(folder.path(), {"trials", "s", "--format", "json"}).json()) {
        CHECK(trial.at("failures") == 1);
    }
    for (const auto& [trial, resources] : resources_by_trial(folder / "s")) {
        CHECK(resources == std::vector{1, 2, 3});
    }
}

TEST_CASE("a sweep in which every trial fails ends with 1 and the reason") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "echo there is no data >&2; exit 9", "", "asha");
    auto sweep = content_of(folder / "sweep.yaml");
    sweep.replace(sweep.find("run_cap: 9"), 10, "run_cap: 2");
    write_file(folder / "sweep.yaml", sweep);

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 1);
    CHECK(run.out.find("exit status 9") != std::string::npos);
    CHECK(run.out.find("there is no data") != std::string::npos);
    CHECK(status_of(folder.path()).at("state") == "failed");
    CHECK(run_crescendo(folder.path(), {"resume", "bash"}).code == 1);  // there is nothing left to continue
}

TEST_CASE("the message about an invalid report is a sentence, with the line and the remedy") {
    const TemporaryFolder folder;
    write_file(folder / "lines", R"({"resource":1}
{"metrics":{"loss":1}}
{"resource":1.5,"metrics":{"loss":1}}
{"resource":"1","metrics":{"loss":1}}
{"resource":1,"metrics":0.5}
{"resource":1,"metrics":[0.5]}
{"type":7,"resource":1}
{"resource":1,"metrics":{"text":"low"}}
)");
    write_sweep(folder.path(),
                "[ $CRESCENDO_TRIAL != 0 ] && sed -n ${CRESCENDO_TRIAL}p lines >&$CRESCENDO_FD && "
                "read -r reply <&$CRESCENDO_FD && exit 0");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.out);  // the first trial reports as it should
    const std::string begin = "its report through CRESCENDO_FD cannot be understood: ";
    const std::string remedy = R"(; write reports like {"resource": 3, "metrics": {"val_loss": 0.31}} (in ')";
    for (const auto& message :
         {"trial 1 gave up: " + begin + R"(it has no "metrics")" + remedy + R"({"resource":1}'))",
          "trial 2 gave up: " + begin + R"(it has no "resource")" + remedy,
          "trial 3 gave up: " + begin + R"(its "resource" is 1.5, but must be a whole number)",
          "trial 4 gave up: " + begin + R"(its "resource" is "1", but must be a whole number)",
          "trial 5 gave up: " + begin + R"(its "metrics" is 0.5, but must be an object of numbers by name)" + remedy,
          "trial 6 gave up: " + begin + R"(its "metrics" is [0.5], but must be an object of numbers by name)" + remedy,
          "trial 7 gave up: " + begin + R"(it has no "metrics")" + remedy,
          std::string("it reported no number, but each report needs the sweep's metric, 'loss'; a number in quotes is "
                      "text\n")}) {
        CHECK_MESSAGE(run.out.find(message) != std::string::npos, message, run.out);
    }
    CHECK(run.out.find("json.exception") == std::string::npos);
}

TEST_CASE("programs that misbehave cost only their trials, and the messages have their last words") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), R"(echo epoch $r
  case $CRESCENDO_TRIAL in
    1) echo 'epoch 1 loss 0.5' >&$CRESCENDO_FD; exec sleep 1000 ;;
    2) echo '{"resource":1,"metrics":{"loss":"low","accuracy":0.5}}' >&$CRESCENDO_FD; mkdir deaf && exec sleep 1000 ;;
    3) mkdir again || echo once more; exec python3 -c 'import nothing_here' ;;
    5) tr '\0' x < /dev/zero >&$CRESCENDO_FD; exec sleep 1000 ;;
    4) (setsid sleep 1000 > /dev/null 2>&1 &); (setsid nohup bash -c 'sleep 1000 & sleep 1000' & disown) ;;
  esac)");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.out);
    for (const char* message :
         {"crescendo resume bash --retry-failed  retries the failed trials, once the cause is fixed\n",
          "trial 1 gave up: its report through CRESCENDO_FD cannot be understood: not a JSON object: 'epoch 1",
          "another attempt would fail in the same way: it reported the numbers {\"accuracy\":0.5} without the sweep's "
          "metric, 'loss'",
          "trial 2: it was asked to stop but did not end, so it is ended by SIGTERM; a program must read the decision "
          "after each report, and end within five seconds if asked to; last words: epoch 1",
          "trial 3 crashed: exit status 1; last words: epoch 1\nTraceback (most recent call last):",
          "trial 3 crashed: exit status 1; last words: epoch 1\nmkdir: ",
          "trial 5 gave up: its report through CRESCENDO_FD cannot be understood: a line of more than 1048576 bytes"}) {
        CHECK_MESSAGE(run.out.find(message) != std::string::npos, run.out);
    }
    const auto trials = trials_of(folder.path());
    for (std::size_t trial = 0; trial < trials.size(); ++trial) {
        CHECK((trials.at(trial).at("status") == "failed") == ((trial >= 1 && trial <= 3) || trial == 5));
    }
    CHECK(processes_in(folder.path()).empty());
}

TEST_CASE("the message about a pattern that matches nothing quotes the output, and the sweep is given up") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), ":", "report: {pattern: 'loss=(?P<loss>[\\d.]+)'}\n");
    write_file(folder / "train.sh", "echo 'Epoch 1 - loss: 0.5'\n");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 1);
    CHECK_MESSAGE(run.out.find("it ended without a report: its output is a single line, without a match for "
                               "report.pattern: Epoch 1 - loss: 0.5") != std::string::npos,
                  run.out);
    CHECK(run.out.find("docs/sweep-file.md, `report`") != std::string::npos);
}

TEST_CASE("the message suggests another name for a metric whose name no group can have") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "exit 0");
    auto sweep = content_of(folder / "sweep.yaml");
    sweep.replace(sweep.find("name: loss"), 10, "name: val/loss");
    sweep.replace(sweep.find("run_cap: 9"), 10, "run_cap: 2");
    write_file(folder / "sweep.yaml", sweep);

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 1);
    CHECK_MESSAGE(run.out.find(R"("metrics": {"val/loss": 0.31})") != std::string::npos, run.out);
    CHECK(run.out.find("(?P<val_loss>") != std::string::npos);
    CHECK(run.out.find("metric: {name: val_loss}") != std::string::npos);
}

TEST_CASE("a script that saves each trial's model to the same file causes one message") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "mkdir -p out; echo $r > out/model.pt");
    write_file(folder / "sweep.yaml",
               "metric: {name: loss, goal: minimize}\nrun_cap: 9\nslots: 1\nparameters: {x: {min: 1, max: 1000}}\n"
               "scheduler: {type: asha, max: 9}\ncommand: [bash, train.sh, \"${args}\"]\n");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 0);
    const auto told = "trials overwrite each other's out/model.pt, so only the last one's is left";
    CHECK((run.out + run.err).find(told) != std::string::npos);
    CHECK((run.out + run.err).find(told) == (run.out + run.err).rfind(told));
}
