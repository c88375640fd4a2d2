/// Slots that cannot be used, while the others can.

#include <algorithm>
#include <fstream>

#include "tests/contains.hpp"
#include "tests/count.hpp"
#include "tests/e2e/command.hpp"
#include "tests/e2e/preload.hpp"
#include "tests/variable.hpp"

using namespace crescendo::tests;

namespace {

/// A warm trainer in Bash that reports every 20 ms. `start` is run before it says that it is ready, and may replace
/// before_report().
void write_trainer(const fs::path& folder, const std::string& start) {
    write_file(folder / "trainer.sh", R"(#!/bin/bash
[[ $1 = --check ]] && { cat >/dev/null; echo '{"problems":[]}'; exit; }
say() { echo "$1" >&$CRESCENDO_FD; }
number() { [[ $line =~ \"$1\":([0-9]+) ]] && echo ${BASH_REMATCH[1]}; }
before_report() { :; }
report() {
  sleep 0.02
  before_report
  say '{"type":"report","trial":'$trial',"generation":'$generation',"resource":'$((++resource))',"metrics":{"loss":1}}'
}
)" + start + R"(
say '{"type":"hello"}'
while read -r line <&$CRESCENDO_FD; do
  case $line in
    *'"type":"join"'*) trial=$(number trial) generation=$(number generation) resource=0; report ;;
    *'"type":"decision"'*) report ;;
    *'"type":"leave"'*) say '{"type":"left","trial":'$trial',"saved":true}' ;;
  esac
done
)");
    fs::permissions(folder / "trainer.sh", fs::perms::owner_all);
}

/// The trainer on one of eight GPUs fails each of its trials once three others have reported: then two trials convict
/// it. The others wait for these failures before the last of their six reports, so that some trials are left.
constexpr const char* gpu_5_is_broken = R"(
before_report() {
  ((resource == 1)) && echo >> reported
  ((resource < 5)) || until [ $(wc -l < failures) -ge 2 ]; do sleep 0.02; done
}
if [ $CUDA_VISIBLE_DEVICES = 5 ]; then
  echo '{"type":"hello"}' >&$CRESCENDO_FD
  while read -r line <&$CRESCENDO_FD; do
    [[ $line =~ \"join\".*\"trial\":([0-9]+) || $line =~ \"trial\":([0-9]+).*\"join\" ]] || continue
    until [ $(wc -l < reported) -ge 3 ]; do sleep 0.02; done
    echo >> failures
    echo '{"type":"failed","trial":'${BASH_REMATCH[1]}',"kind":"error","message":"CUDA error: device '$$'"}' \
      >&$CRESCENDO_FD
    exit 1
  done
fi
)";

/// Only one trainer can start until the file `mended` exists.
constexpr const char* only_one_starts = "[ -e mended ] || mkdir lock 2>/dev/null || { echo no GPU here; exit 3; }";

void write_trainer_sweep(const fs::path& folder, int slots, int num_trials, int epochs) {
    write_file(folder / "sweep.yaml", "name: s\nmetric: {name: loss}\nrun_cap: " + std::to_string(num_trials) +
                                          "\nslots: " + std::to_string(slots) +
                                          "\nparameters: {lr: {min: 0.1, max: 1.0}}\nscheduler: {type: fifo, max: " +
                                          std::to_string(epochs) + "}\ntrainer: {}\n");
}

/// A sweep of a Bash program that runs `start` and then reports once.
void write_program_sweep(const fs::path& folder, const std::string& keys, const std::string& start) {
    write_file(folder / "sweep.yaml", "name: s\nmetric: {name: loss}\nparameters: {x: {min: 0.0, max: 1.0}}\n" + keys +
                                          "command: [bash, train.sh, \"${args}\"]\n");
    write_file(folder / "train.sh", start + R"(
[ $RANK = 0 ] && echo '{"resource":1,"metrics":{"loss":1}}' >&$CRESCENDO_FD
read -r answer <&$CRESCENDO_FD
exit 0
)");
}

/// Bash code that waits until each of four workers has written a line to `workers`, so that all run at the same time.
const std::string await_four_workers = "until [ $(wc -l < workers) = 4 ]; do sleep 0.02; done\n";

std::vector<std::string> sorted_lines(const fs::path& path) {
    std::vector<std::string> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        lines.push_back(line);
    }
    std::ranges::sort(lines);
    return lines;
}

void check_that_the_other_slot_finishes(const fs::path& folder) {
    const auto run = run_crescendo(folder, {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK_MESSAGE(count(run.out, " is out of use: ") == 1, run.out);
    CHECK(run.out.find("trainer.sh ends before it is ready: exit status 3; its last words: no GPU here") !=
          std::string::npos);
    const auto status = run_crescendo(folder, {"status", "s", "--format", "json"}).json();
    CHECK(status.at("slots") == 1);
    CHECK(status.at("trials").at("finished") == 4);
    for (const auto& trial : run_crescendo(folder, {"trials", "s", "--format", "json"}).json()) {
        CHECK(trial.at("failures") == 0);
    }
    CHECK(processes_in(folder).empty());
}

}  // namespace

TEST_CASE("a slot whose trainer cannot start is lost, and the others finish the sweep") {
    const TemporaryFolder folder;
    write_trainer(folder.path(), only_one_starts);
    write_trainer_sweep(folder.path(), /*slots=*/2, /*num_trials=*/4, /*epochs=*/3);
    const Variable trainer("CRESCENDO_TRAINER", folder / "trainer.sh");

    check_that_the_other_slot_finishes(folder.path());
}

TEST_CASE("a slot whose trainer starts later is used again") {
    const TemporaryFolder folder;
    write_trainer(folder.path(), only_one_starts);
    write_trainer_sweep(folder.path(), 2, 2, 1'000'000);
    const Variable trainer("CRESCENDO_TRAINER", folder / "trainer.sh");
    const Variable interval("CRESCENDO_RESTART_INTERVAL", "1");
    Command run(folder.path(), {"run", "sweep.yaml"});
    await("a slot is out of use", [&] { return run.out().find(" is out of use: ") != std::string::npos; });

    write_file(folder / "mended", "");

    await("the slot is in use again", [&] { return run.out().find(" is in use again") != std::string::npos; });
    CHECK(run_crescendo(folder.path(), {"status", "s", "--format", "json"}).json().at("slots") == 2);
    REQUIRE(run_crescendo(folder.path(), {"stop", "s"}).code == 0);
    CHECK(run.wait() == 75);
    CHECK(processes_in(folder.path()).empty());
}

TEST_CASE("a sweep gives up with a message if none of its trainers can start") {
    const TemporaryFolder folder;
    write_trainer(folder.path(), "echo no GPU anywhere; exit 3");
    write_trainer_sweep(folder.path(), 2, 4, 3);
    const Variable trainer("CRESCENDO_TRAINER", folder / "trainer.sh");
    const Variable interval("CRESCENDO_RESTART_INTERVAL", "1");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 1);
    CHECK_MESSAGE(run.err.find("no trainer can start on any slot, and nothing runs: ") != std::string::npos, run.err);
    CHECK(run.err.find("no GPU anywhere") != std::string::npos);
    CHECK(processes_in(folder.path()).empty());
}

TEST_CASE("if the system allows no process for a program, the session ends, and no trial has failed") {
    const TemporaryFolder folder;
    write_program_sweep(folder.path(), "run_cap: 1\nslots: 1\nscheduler: {type: fifo, max: 1}\n", "");
    Result run;
    {
        const Preload preload("NO_FORK_IN", "crescendo-guard");
        run = run_crescendo(folder.path(), {"run", "sweep.yaml"});
    }

    CHECK(run.code == 75);
    CHECK(contains(run.err, "cannot start a process, because `ulimit -u` or the container allows no more"));
    CHECK(run_crescendo(folder.path(), {"resume", "s"}).code == 0);
    CHECK(run_crescendo(folder.path(), {"trials", "s", "--format", "json"}).json()[0].at("failures") == 0);
}

TEST_CASE("one broken GPU of eight costs one slot, and the message names the GPU") {
    const TemporaryFolder folder;
    write_trainer(folder.path(), gpu_5_is_broken);
    write_file(folder / "reported", "");
    write_file(folder / "failures", "");
    write_trainer_sweep(folder.path(), /*slots=*/8, /*num_trials=*/24, /*epochs=*/6);
    const Variable trainer("CRESCENDO_TRAINER", folder / "trainer.sh");
    const Variable gpus("CUDA_VISIBLE_DEVICES", "0,1,2,3,4,5,6,7");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK_MESSAGE(run.out.find("slot 5 of node 0 (GPU 5 of ") != std::string::npos, run.out);
    CHECK(count(run.out, " left out: ") == 1);
    const auto status = run_crescendo(folder.path(), {"status", "s", "--format", "json"}).json();
    CHECK(status.at("slots") == 7);
    CHECK(status.at("slots_left_out") == Json::array({5}));
    CHECK(status.at("devices_left_out").at(0).get<std::string>().starts_with("GPU 5 of "));
    CHECK(status.at("trials").at("finished") == 24);
    CHECK(run_crescendo(folder.path(), {"status", "s"}).out.find("slots_left_out") != std::string::npos);
    CHECK(processes_in(folder.path()).empty());
}

TEST_CASE("with slots_per_gpu, trials share GPUs, and each gets the number of slots on its GPU") {
    const TemporaryFolder folder;
    write_program_sweep(folder.path(), "run_cap: 4\nslots_per_gpu: 2\nscheduler: {type: fifo, max: 1}\n",
                        "echo $CUDA_VISIBLE_DEVICES $CRESCENDO_GPU_SHARE >> workers\n" + await_four_workers);
    const Variable gpus("CUDA_VISIBLE_DEVICES", "0,1");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK(sorted_lines(folder / "workers") == std::vector<std::string>{"0 2", "0 2", "1 2", "1 2"});
}

TEST_CASE("a broken GPU that slots share is left out, and named with the number of its slots") {
    const TemporaryFolder folder;
    write_program_sweep(folder.path(), "run_cap: 24\nslots_per_gpu: 2\nscheduler: {type: fifo, max: 1}\n",
                        "if [ $CUDA_VISIBLE_DEVICES = 1 ]; then\n"
                        "  until [ -e reported ]; do sleep 0.02; done; echo 'no GPU here' >&2; exit 9\n"
                        "fi\n"
                        "sleep 0.1; touch reported\n");
    const Variable gpus("CUDA_VISIBLE_DEVICES", "0,1");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK_MESSAGE(run.out.find(", which 2 slots share) ") != std::string::npos, run.out);
    const auto status = run_crescendo(folder.path(), {"status", "s", "--format", "json"}).json();
    for (const auto& slot : status.at("slots_left_out")) {
        CHECK(slot.get<int>() % 2 == 1);  // those of GPU 1
    }
    CHECK(status.at("devices_left_out").at(0).get<std::string>().starts_with("GPU 1 of "));
    CHECK(status.at("trials").at("finished") == 24);
}

TEST_CASE("a trial does not use up its retries on a broken GPU, even if no trial is left to convict the GPU") {
    const TemporaryFolder folder;
    write_program_sweep(folder.path(), "run_cap: 2\nscheduler: {type: fifo, max: 1}\n",
                        "if [ $CUDA_VISIBLE_DEVICES = 1 ]; then\n"
                        "  echo failed >> failures; echo 'no GPU here' >&2; exit 9\n"
                        "fi\n"
                        "until [ $(wc -l < failures) -ge 2 ]; do sleep 0.02; done; sleep 0.2\n");
    write_file(folder / "failures", "");
    const Variable gpus("CUDA_VISIBLE_DEVICES", "0,1");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    const auto trials = run_crescendo(folder.path(), {"trials", "s", "--format", "json"}).json();
    CHECK(trials.at(0).at("failures") == 0);
    CHECK(trials.at(1).at("failures") == 2);  // at once on the GPU that would idle, but its last attempt waited
    CHECK(trials.at(1).at("status") == "finished");
    const auto replayed = run_crescendo(folder.path(), {"simulate", "--replay", "s", "--format", "json"});
    CHECK_MESSAGE(replayed.json().at("differences") == 0, replayed.out);
}

TEST_CASE("a program with more workers than GPUs sees each GPU once") {
    const TemporaryFolder folder;
    write_program_sweep(
        folder.path(), "run_cap: 1\nslots: 2\nscheduler: {type: fifo, max: 1, workers: 4, distinct_gpus: off}\n",
        "echo $LOCAL_RANK of $LOCAL_WORLD_SIZE: $CUDA_VISIBLE_DEVICES >> workers\n" + await_four_workers);
    const Variable gpus("CUDA_VISIBLE_DEVICES", "6,7");

    const auto run =
        run_crescendo(folder.path(), {"run", "sweep.yaml", "--slots-per-gpu", "2"});  // replaces the two slots

    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK(sorted_lines(folder / "workers") ==
          std::vector<std::string>{"0 of 4: 6,7", "1 of 4: 6,7", "2 of 4: 6,7", "3 of 4: 6,7"});
}

TEST_CASE("each worker of a trial has its own GPU, and a note says how this limits workers if slots share GPUs") {
    const TemporaryFolder folder;
    write_program_sweep(folder.path(), "run_cap: 1\nslots_per_gpu: 2\nscheduler: {type: fifo, max: 1, workers: 4}\n",
                        "echo $LOCAL_RANK of $LOCAL_WORLD_SIZE: $CUDA_VISIBLE_DEVICES >> workers\n");
    const Variable gpus("CUDA_VISIBLE_DEVICES", "6,7");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK(sorted_lines(folder / "workers") == std::vector<std::string>{"0 of 2: 6,7", "1 of 2: 6,7"});
    CHECK_MESSAGE(
        run.err.find(
            "note: scheduler.workers is 4, but there are 2 GPUs for a trial's workers; trials start with 2\n") !=
            std::string::npos,
        run.err);

    write_program_sweep(folder.path(), "run_cap: 1\nslots_per_gpu: 2\ngrow: restart\nscheduler: {max: 1}\n", "");
    const Variable gpu("CUDA_VISIBLE_DEVICES", "6");
    const auto rasda = run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", "second"});
    CHECK_MESSAGE(rasda.err.find("(scheduler.distinct_gpus); trials keep one worker\n") != std::string::npos,
                  rasda.err);
}

TEST_CASE("a note says that slots_per_gpu changes nothing without a GPU") {
    const TemporaryFolder folder;
    write_program_sweep(folder.path(), "run_cap: 1\nslots_per_gpu: 2\nscheduler: {type: fifo, max: 1}\n", "");
    const Variable gpus("CUDA_VISIBLE_DEVICES", "");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK_MESSAGE(run.code == 0, run.err);
    CHECK(run.err.find("note: slots_per_gpu is 2, but this node has no GPU") != std::string::npos);
    const auto both = run_crescendo(folder.path(), {"run", "sweep.yaml", "--slots", "2", "--slots-per-gpu", "2"});
    CHECK(both.code == 2);
}

TEST_CASE("a sweep on one node of a larger job says so, unless the job script gave it all remaining nodes") {
    const TemporaryFolder folder;
    write_program_sweep(folder.path(), "run_cap: 1\nslots: 1\nscheduler: {type: fifo, max: 1}\n", "");
    const Variable job("SLURM_JOB_ID", "1");
    const Variable nodes("SLURM_JOB_NUM_NODES", "4");
    const Variable first_node("SLURMD_NODENAME", "n1");
    const std::string note = "crescendo runs on 1 of them; start it with `srun ";

    const auto by_hand = run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", "first"});
    const Variable exit_status("CRESCENDO_EXIT_STATUS", folder / "exit");
    const auto by_script = run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", "second"});

    CHECK_MESSAGE(by_hand.err.find(note) != std::string::npos, by_hand.err);
    CHECK_MESSAGE(by_script.code == 0, by_script.err);
    CHECK(by_script.err.find(note) == std::string::npos);
}

#ifdef CRESCENDO_TEST_MPI
TEST_CASE("a slot of another rank whose trainer cannot start is lost, and the others finish the sweep") {
    const Ranks ranks("2", "10");
    const TemporaryFolder folder;
    write_trainer(folder.path(), only_one_starts);
    write_trainer_sweep(folder.path(), /*slots=*/1, 4, 3);
    const Variable trainer("CRESCENDO_TRAINER", folder / "trainer.sh");

    check_that_the_other_slot_finishes(folder.path());
}
#endif
