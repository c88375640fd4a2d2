/// Sweeps over programs that are not ours, with the real binaries.

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "tests/e2e/command.hpp"

using namespace crescendo::tests;

namespace {

/// A trainer in Bash: its loss falls with the resource towards its parameter x. `before_report` is run before each
/// report.
void write_sweep(const fs::path& folder, const std::string& before_report = ":", const std::string& more = "",
                 const std::string& scheduler = "asha") {
    write_file(folder / "train.sh", R"(
x=${1#--x=}
mkdir -p "$CRESCENDO_TRIAL_DIR"
for ((r = 1; r <= CRESCENDO_MAX_RESOURCE; r++)); do
  )" + before_report + R"(
  echo "{\"resource\": $r, \"metrics\": {\"loss\": $x.$((10 - r))}}" >&$CRESCENDO_FD
  read -r reply <&$CRESCENDO_FD || exit 0
  [[ $reply == *stop* ]] && exit 0
done
exit 0
)");
    write_file(folder / "sweep.yaml", R"(
name: bash
metric: {name: loss, goal: minimize}
run_cap: 9
seed: 3
slots: 2
parameters: {x: {min: 1, max: 1000}}
scheduler: {type: )" + scheduler + R"(, min: 1, max: 9, reduction_factor: 3}
command: [bash, train.sh, "${args}"]
)" + more);
}

/// Puts this process, and what it starts, into a control group with little memory (cgroup v1).
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
            // More than twice what crescendo takes under a sanitizer: the kernel kills the largest process.
            write_file(group_ / "memory.limit_in_bytes", "1G");
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

/// Trial → resources in the order of the journal.
std::map<int, std::vector<int>> resources_by_trial(const fs::path& sweep) {
    std::map<int, std::vector<int>> result;
    for (const auto& record : journal_of(sweep)) {
        if (record.value("event", "") == "trial_reported") {
            result[record.at("trial")].push_back(record.at("resource"));
        }
    }
    return result;
}

/// Ranks of an MPI job leave out tests in which nothing depends on how messages travel.
bool is_for_one_process() {
    if (in_mpi_job()) {
        MESSAGE("skipped: nothing in it depends on the transport");
    }
    return in_mpi_job();
}

}  // namespace

TEST_CASE("a sweep over a Bash program finds the smallest loss and leaves its results") {
    const TemporaryFolder folder;
    write_sweep(folder.path());

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    const auto status = run_crescendo(folder.path(), {"status", "bash", "--format", "json"}).json();
    CHECK(status.at("state") == "finished");
    CHECK(status.at("trials").at("begun") == 9);
    const auto top = run_crescendo(folder.path(), {"top", "bash"});  // no terminal: one picture
    CHECK(top.code == 0);
    CHECK(top.out.find("bash (finished)") != std::string::npos);
    const auto trials = run_crescendo(folder.path(), {"trials", "bash", "--format", "json"}).json();
    REQUIRE(trials.size() == 9);
    int smallest = 1000;
    int finished = 0;
    for (const auto& trial : trials) {
        smallest = std::min(smallest, trial.at("x").get<int>());
        finished += trial.at("status") == "finished";
        CHECK((trial.at("resource") == 1 || trial.at("resource") == 3 || trial.at("resource") == 9));
    }
    CHECK(finished >= 1);
    const auto best = run_crescendo(folder.path(), {"best", "bash", "--format", "json"}).json();
    CHECK(best.at("config").at("x") == smallest);
    CHECK(best.at("resource") == 9);
    CHECK(content_of(folder / "bash/results.csv").starts_with("trial,status,resource"));
}

TEST_CASE("paused programs are resumed where their checkpoints left them, and the best third reach the next rung") {
    for (const char* type : {"asha, mode: promote", "successive_halving", "hyperband", "pasha"}) {
        if (in_mpi_job() && type != std::string("hyperband")) {
            continue;  // which scheduler pauses them is nothing to the transport
        }
        CAPTURE(type);
        const TemporaryFolder folder;
        write_sweep(folder.path(),
                    "[ -e $CRESCENDO_TRIAL_DIR/done ] && [ $r -lt $(cat $CRESCENDO_TRIAL_DIR/done) ] && continue; "
                    "echo $r > $CRESCENDO_TRIAL_DIR/done",
                    "", type);

        const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

        REQUIRE_MESSAGE(run.code == 0, run.err);
        int finished = 0;
        for (const auto& trial : run_crescendo(folder.path(), {"trials", "bash", "--format", "json"}).json()) {
            CHECK(trial.at("failures") == 0);
            CHECK((trial.at("status") == "stopped" || trial.at("status") == "finished"));
            finished += trial.at("status") == "finished";
        }
        CHECK(finished >= (std::string(type) == "pasha" ? 0 : 1));
        for (const auto& [trial, resources] : resources_by_trial(folder / "bash")) {
            CHECK(std::adjacent_find(resources.begin(), resources.end(), std::greater_equal<>()) == resources.end());
        }
        CHECK(processes_in(folder.path()).empty());
    }
}

TEST_CASE("a sweep with paused trials is killed, says how many they are, and resumes them") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "sleep 0.05", "", "successive_halving");
    Command run(folder.path(), {"run", "sweep.yaml"});
    await("some reports are in the journal", [&] { return num_reports(folder / "bash") >= 4; });

    run.signal(SIGKILL);
    run.wait();

    const auto status = run_crescendo(folder.path(), {"status", "bash", "--format", "json"}).json();
    CHECK(status.at("trials").at("paused") >= 2);
    CHECK(run_crescendo(folder.path(), {"resume", "bash"}).code == 0);
    CHECK(run_crescendo(folder.path(), {"status", "bash", "--format", "json"}).json().at("trials").at("finished") == 1);
}

TEST_CASE("one slot is enough, and many more slots than cores work") {
    for (const char* slots : {"1", "9"}) {
        const TemporaryFolder folder;
        write_sweep(folder.path());

        const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml", "--slots", slots});

        CHECK_MESSAGE(run.code == 0, run.err);
    }
}

TEST_CASE("a run on an unfinished sweep refuses and names resume") {
    if (is_for_one_process()) {
        return;
    }
    const TemporaryFolder folder;
    write_sweep(folder.path());
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);

    const auto again = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(again.code == 2);
    CHECK(again.err.find("crescendo resume bash") != std::string::npos);
    CHECK(run_crescendo(folder.path(), {"resume", "bash"}).code == 0);  // and that says that it is finished
}

TEST_CASE("Ctrl-C, SIGTERM and stop end with 75, leave nothing running, and resume goes on") {
    for (const std::string how : {"INT", "TERM", "stop"}) {
        CAPTURE(how);
        const TemporaryFolder folder;
        write_file(folder / "pause", "0.05");
        write_sweep(folder.path(), "sleep $(<pause)");
        Command run(folder.path(), {"run", "sweep.yaml"});
        await("some reports are in the journal", [&] { return num_reports(folder / "bash") >= 4; });

        write_file(folder / "pause", "2");  // so that it is not over before it is stopped
        if (how == "stop") {
            CHECK(run_crescendo(folder.path(), {"stop", "bash"}).code == 0);
        } else {
            run.signal(how == "INT" ? SIGINT : SIGTERM);
        }

        CHECK(run.wait() == 75);
        CHECK(processes_in(folder.path()).empty());
        CHECK(run_crescendo(folder.path(), {"status", "bash", "--format", "json"}).json().at("state") == "stopped");
        write_file(folder / "pause", "0");
        CHECK(run_crescendo(folder.path(), {"resume", "bash"}).code == 0);
        CHECK(run_crescendo(folder.path(), {"status", "bash", "--format", "json"}).json().at("state") == "finished");
    }
}

TEST_CASE("after kill -9 nothing outlives crescendo, and resume repeats no finished trial") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "sleep 0.05; setsid sleep 1000 &");
    Command run(folder.path(), {"run", "sweep.yaml"});
    await("some reports are in the journal", [&] { return num_reports(folder / "bash") >= 6; });

    run.signal(SIGKILL);
    run.wait();

    await("every process ends", [&] { return processes_in(folder.path()).empty(); });
    const auto before = resources_by_trial(folder / "bash");
    std::set<int> ended;
    for (const auto& trial : run_crescendo(folder.path(), {"trials", "bash", "--format", "json"}).json()) {
        if (trial.at("status") == "stopped" || trial.at("status") == "finished") {
            ended.insert(trial.at("trial").get<int>());
        }
    }
    const auto resumed = run_crescendo(folder.path(), {"resume", "bash"});
    REQUIRE_MESSAGE(resumed.code == 0, resumed.err);
    CHECK(resumed.out.find("taking over from process") != std::string::npos);
    const auto after = resources_by_trial(folder / "bash");
    for (const int trial : ended) {
        CHECK(after.at(trial) == before.at(trial));
    }
    CHECK(after.size() == 9);
    CHECK(processes_in(folder.path()).empty());
}

TEST_CASE("a program that fails is retried, and one that always fails costs its trial alone") {
    const TemporaryFolder folder;
    // Trial 2 fails once, trial 4 always.
    write_sweep(
        folder.path(),
        "if [ $CRESCENDO_TRIAL = 4 ] || { [ $CRESCENDO_TRIAL = 2 ] && mkdir \"$CRESCENDO_TRIAL_DIR/once\"; } then "
        "echo no luck; kill -9 $$; fi");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    const auto trials = run_crescendo(folder.path(), {"trials", "bash", "--format", "json"}).json();
    CHECK(trials.at(2).at("failures") == 1);
    CHECK(trials.at(2).at("status") != "failed");
    CHECK(trials.at(4).at("failures") == 3);  // the first attempt and two retries
    CHECK(trials.at(4).at("status") == "failed");
    CHECK(run.out.find("no luck") != std::string::npos);
}

TEST_CASE("a program that does not report in time is ended, with all that it started, and its trial tried again") {
    const TemporaryFolder folder;
    write_sweep(folder.path(),
                "if [ $CRESCENDO_TRIAL = 2 ] && mkdir \"$CRESCENDO_TRIAL_DIR/once\"; then echo asleep; "
                "setsid sleep 1000 & kill -STOP $$; fi",
                "hang_timeout: 5s\n");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK_MESSAGE(run.out.find("trial 2 crashed: no progress for 5 s; last words: asleep") != std::string::npos,
                  run.out);
    const auto trials = run_crescendo(folder.path(), {"trials", "bash", "--format", "json"}).json();
    CHECK(trials.at(2).at("failures") == 1);
    CHECK(trials.at(2).at("status") != "failed");
    CHECK(processes_in(folder.path()).empty());
}

TEST_CASE("a program that the kernel kills since memory is used up has run out of memory") {
    const TemporaryFolder folder;
    write_sweep(folder.path(),
                "if [ $CRESCENDO_TRIAL = 2 ] && mkdir \"$CRESCENDO_TRIAL_DIR/once\"; then exec tail /dev/zero; fi");
    if (in_mpi_job()) {
        MESSAGE("skipped: several ranks, and larger ones under a sanitizer, have no room in so little memory");
        return;
    }
    const LittleMemory memory;
    if (!memory.works()) {
        MESSAGE("skipped: control groups of memory (v1) cannot be made here");
        return;
    }

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK_MESSAGE(run.out.find("trial 2 ran out of memory: killed by signal 9") != std::string::npos, run.out);
    CHECK(run_crescendo(folder.path(), {"trials", "bash", "--format", "json"}).json().at(2).at("failures") == 1);
}

TEST_CASE("a program that never reports is tried once, and told what a report is") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "[ -e mended ] || exit 0");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 1);
    CHECK_MESSAGE(run.out.find("given up: ") != std::string::npos, run.out);
    CHECK(run.out.find(R"({"resource": 1, "metrics": {"loss": 0.31}})") != std::string::npos);
    CHECK(run.out.find("CRESCENDO_FD") != std::string::npos);
    CHECK(run.out.find("docs/trial-protocol.md") != std::string::npos);
    for (const auto& trial : run_crescendo(folder.path(), {"trials", "bash", "--format", "json"}).json()) {
        CHECK(trial.at("failures") <= 1);
    }
    CHECK(processes_in(folder.path()).empty());
    write_file(folder / "mended", "");
    CHECK(run_crescendo(folder.path(), {"resume", "bash"}).code == 0);
}

TEST_CASE("a program that refuses its arguments is tried once") {
    if (is_for_one_process()) {
        return;
    }
    const TemporaryFolder folder;
    write_sweep(folder.path(), "echo 'usage: train.sh --y=Y' >&2; exit 2");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 1);
    CHECK(run.out.find("given up: ") != std::string::npos);
    CHECK_MESSAGE(run.out.find("exit status 2; last words: usage: train.sh --y=Y") != std::string::npos, run.out);
    for (const auto& trial : run_crescendo(folder.path(), {"trials", "bash", "--format", "json"}).json()) {
        CHECK(trial.at("failures") <= 1);
    }
}

TEST_CASE("arguments that are wrong in one configuration cost that trial alone") {
    if (is_for_one_process()) {
        return;
    }
    const TemporaryFolder folder;
    write_sweep(folder.path(), "case $CRESCENDO_TRIAL in 0 | 4) echo x is out of range >&2; exit 2 ;; esac");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.out);
    const auto trials = run_crescendo(folder.path(), {"trials", "bash", "--format", "json"}).json();
    for (const int trial : {0, 4}) {
        CHECK(trials.at(trial).at("status") == "failed");
        CHECK(trials.at(trial).at("failures") == 1);
    }
}

TEST_CASE("a program that does not use its parameters is noticed while it runs") {
    if (is_for_one_process()) {
        return;
    }
    const TemporaryFolder folder;
    write_sweep(folder.path());
    write_file(folder / "train.sh",
               "echo '{\"resource\": 9, \"metrics\": {\"loss\": 0.5}}' >&$CRESCENDO_FD; read -r reply <&$CRESCENDO_FD");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 0);
    CHECK_MESSAGE(run.out.find("three trials with different parameters report the same numbers") != std::string::npos,
                  run.out);
}

TEST_CASE("booleans reach a program as Python writes them, and its folder as JSON") {
    if (is_for_one_process()) {
        return;
    }
    const TemporaryFolder folder;
    write_sweep(folder.path(), "echo \"$@\" >> arguments");
    auto sweep = content_of(folder / "sweep.yaml");
    sweep.insert(sweep.find("x: {min"), "nesterov: {value: true}, resume: {value: false}, ");
    write_file(folder / "sweep.yaml", sweep);
    write_file(folder / "train.sh",
               "echo \"$@\" >> arguments; "
               "echo '{\"resource\": 9, \"metrics\": {\"loss\": 1}}' >&$CRESCENDO_FD\n");

    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);

    CHECK(content_of(folder / "arguments").starts_with("--nesterov=True --resume=False --x="));
    CHECK(Json::parse(content_of(folder / "bash/trials/000000/params.json")).at("nesterov") == true);
}

TEST_CASE("a program that is killed between its checkpoint and its report reports it when it is resumed") {
    if (is_for_one_process()) {
        return;
    }
    const TemporaryFolder folder;
    write_sweep(folder.path(),
                "done=$(cat $CRESCENDO_TRIAL_DIR/done 2>/dev/null || echo 0); [ $r -lt $done ] && continue; "
                "echo $r > $CRESCENDO_TRIAL_DIR/done; "
                "[ $CRESCENDO_TRIAL = 2 ] && [ $r = 3 ] && mkdir $CRESCENDO_TRIAL_DIR/once && kill -9 $$",
                "", "fifo");

    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);

    CHECK(run_crescendo(folder.path(), {"trials", "bash", "--format", "json"}).json().at(2).at("failures") == 1);
    CHECK(resources_by_trial(folder / "bash").at(2) == std::vector{1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("the Python example, killed between its checkpoint and its report, loses nothing") {
    if (is_for_one_process()) {
        return;
    }
    const TemporaryFolder folder;
    // Python imports this first: the second checkpoint of each trial is the program's last deed, once.
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

TEST_CASE("a sweep whose first three trials fail is given up with the reason, and goes on once that is mended") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "[ -e data ] || { echo there is no data >&2; exit 9; }");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 1);
    CHECK(run.out.find("given up: ") != std::string::npos);
    CHECK(run.out.find(" trials failed, and none of them reported anything") != std::string::npos);
    CHECK(run.out.find("there is no data") != std::string::npos);
    CHECK(run_crescendo(folder.path(), {"status", "bash", "--format", "json"}).json().at("state") == "stopped");
    CHECK(processes_in(folder.path()).empty());
    write_file(folder / "data", "");
    CHECK(run_crescendo(folder.path(), {"resume", "bash"}).code == 0);
    const auto status = run_crescendo(folder.path(), {"status", "bash", "--format", "json"}).json();
    CHECK(status.at("trials").at("failed") >= 3);
    CHECK(status.at("trials").at("begun") == 9);
}

TEST_CASE("a sweep whose every trial fails ends with 1 and the reason") {
    if (is_for_one_process()) {
        return;
    }
    const TemporaryFolder folder;
    write_sweep(folder.path(), "echo there is no data >&2; exit 9", "", "asha");
    auto sweep = content_of(folder / "sweep.yaml");
    sweep.replace(sweep.find("run_cap: 9"), 10, "run_cap: 2");
    write_file(folder / "sweep.yaml", sweep);

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 1);
    CHECK(run.out.find("exit status 9") != std::string::npos);
    CHECK(run.out.find("there is no data") != std::string::npos);
    CHECK(run_crescendo(folder.path(), {"status", "bash", "--format", "json"}).json().at("state") == "failed");
    CHECK(run_crescendo(folder.path(), {"resume", "bash"}).code == 1);  // there is nothing left to go on with
}

TEST_CASE("a loss of NaN is a bad trial and no error") {
    if (is_for_one_process()) {
        return;
    }
    const TemporaryFolder folder;
    write_sweep(folder.path(),
                "[ $CRESCENDO_TRIAL = 1 ] && { echo '{\"resource\":1,\"metrics\":{\"loss\":NaN}}' >&$CRESCENDO_FD; "
                "read -r reply <&$CRESCENDO_FD; exit 0; }");

    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);

    const auto trials = run_crescendo(folder.path(), {"trials", "bash", "--format", "json"}).json();
    CHECK(trials.at(1).at("failures") == 0);
    CHECK(trials.at(1).at("loss").is_null());
    CHECK(run_crescendo(folder.path(), {"best", "bash", "--format", "json"}).json().at("trial") != 1);
}

TEST_CASE("what waits for data is said when a sweep ends, and by its status") {
    if (is_for_one_process()) {
        return;
    }
    for (const char* wait : {"0.5", "0.05"}) {
        const TemporaryFolder folder;
        write_sweep(folder.path());
        const std::string report = R"(echo '{"resource": 9, "metrics": {"loss": 1}, "data_wait": )";
        write_file(folder / "train.sh", report + wait + "}' >&$CRESCENDO_FD\n");

        const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});
        const auto status = run_crescendo(folder.path(), {"status", "bash", "--format", "json"}).json();

        const bool much = std::string(wait) == "0.5";
        CHECK(run.code == 0);
        const char* hint = "trials wait for data during 50 % of their time; read ahead";
        CHECK((run.out.find(hint) != std::string::npos) == much);
        CHECK(status.contains("hint") == much);
    }
}

TEST_CASE("a report without the sweep's metric is the trial's error, and names what it lacks") {
    if (is_for_one_process()) {
        return;
    }
    const TemporaryFolder folder;
    write_sweep(folder.path(),
                "echo '{\"resource\":1,\"metrics\":{\"accuracy\":0.5}}' >&$CRESCENDO_FD; read -r reply "
                "<&$CRESCENDO_FD; exit 0");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 1);
    CHECK(run.out.find("without 'loss', which is the sweep's metric.name") != std::string::npos);
}

TEST_CASE("programs that misbehave cost their trials alone, and the messages have their last words") {
    if (is_for_one_process()) {
        return;
    }
    const TemporaryFolder folder;
    write_sweep(folder.path(), R"(echo epoch $r
  case $CRESCENDO_TRIAL in
    1) echo 'epoch 1 loss 0.5' >&$CRESCENDO_FD; sleep 1000 ;;
    2) echo '{"resource":1,"metrics":{"loss":"low","accuracy":0.5}}' >&$CRESCENDO_FD; sleep 1000 ;;
    3) mkdir again || echo once more; exec python3 -c 'import nothing_here' ;;
    4) (setsid sleep 1000 > /dev/null 2>&1 &); (setsid nohup bash -c 'sleep 1000 & sleep 1000' & disown) ;;
  esac)");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.out);
    for (const char* message :
         {"trial 1 gave up: its report through CRESCENDO_FD cannot be understood: not a JSON object: 'epoch 1",
          "trial 2 gave up: it reported the numbers {\"accuracy\":0.5} without 'loss', which is the sweep's",
          "trial 3 crashed: exit status 1; last words: epoch 1\nTraceback (most recent call last):",
          "trial 3 crashed: exit status 1; last words: epoch 1\nmkdir: "}) {
        CHECK_MESSAGE(run.out.find(message) != std::string::npos, run.out);
    }
    const auto trials = run_crescendo(folder.path(), {"trials", "bash", "--format", "json"}).json();
    for (std::size_t trial = 0; trial < trials.size(); ++trial) {
        CHECK((trials.at(trial).at("status") == "failed") == (trial >= 1 && trial <= 3));
    }
    CHECK(processes_in(folder.path()).empty());
}

TEST_CASE("the same seed and the same order of reports make the same decisions") {
    if (in_mpi_job()) {
        MESSAGE("skipped: with a slot on each of several ranks, reports come in any order");
        return;
    }
    std::vector<std::string> decisions;
    for (int i = 0; i < 2; ++i) {
        const TemporaryFolder folder;
        write_sweep(folder.path());
        REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml", "--slots", "1"}).code == 0);  // one slot: one order
        std::string result;
        for (auto record : journal_of(folder / "bash")) {
            if (record.contains("event")) {
                record.erase("time");
                record.erase("clock");
                record.erase("n");
                record.erase("crc");
                result += record.dump() + "\n";
            }
        }
        decisions.push_back(result);
    }

    CHECK(decisions[0] == decisions[1]);
}

TEST_CASE("the wall-time budget ends a sweep for good") {
    if (is_for_one_process()) {
        return;
    }
    const TemporaryFolder folder;
    write_sweep(folder.path(), "sleep 0.3", "budget: {time: 1s}\n");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 0);
    CHECK(run.out.find("the time budget is used up") != std::string::npos);
    CHECK(run_crescendo(folder.path(), {"status", "bash", "--format", "json"}).json().at("state") == "finished");
}

TEST_CASE("a target that is met ends a sweep for good") {
    if (is_for_one_process()) {
        return;
    }
    const TemporaryFolder folder;
    write_sweep(folder.path(), ":", "budget: {target: 1000}\n");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 0);
    CHECK(run.out.find("the target is reached") != std::string::npos);
}

TEST_CASE("a program that knows nothing of crescendo is tuned by what it prints") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), ":", "report: {pattern: 'epoch (?P<resource>\\d+)/9 loss (?P<loss>[\\d.]+)'}\n");
    // Where it is to stop, it is in the middle of something.
    write_file(folder / "train.sh",
               "x=${1#--x=}\nfor r in {1..9}; do\n"
               "  echo \"epoch $r/9 loss $x.$((10 - r))\"; [ $r = 9 ] || sleep 0.2\ndone\n");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    int stopped = 0;
    for (const auto& trial : run_crescendo(folder.path(), {"trials", "bash", "--format", "json"}).json()) {
        CHECK(trial.at("failures") == 0);
        stopped += trial.at("status") == "stopped" && trial.at("resource") < 9;
    }
    CHECK(stopped >= 1);
    CHECK(run_crescendo(folder.path(), {"best", "bash", "--format", "json"}).json().at("resource") == 9);
    CHECK(processes_in(folder.path()).empty());
}

TEST_CASE("a pattern that matches nothing is told with what the program prints, and the sweep is given up") {
    if (is_for_one_process()) {
        return;
    }
    const TemporaryFolder folder;
    write_sweep(folder.path(), ":", "report: {pattern: 'loss=(?P<loss>[\\d.]+)'}\n");
    write_file(folder / "train.sh", "echo 'Epoch 1 - loss: 0.5'\n");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 1);
    CHECK_MESSAGE(run.out.find("it ended without a report: none of the 1 lines of its output has a match of "
                               "report.pattern; the last ones: Epoch 1 - loss: 0.5") != std::string::npos,
                  run.out);
    CHECK(run.out.find("docs/sweep-file.md, `report`") != std::string::npos);
}
