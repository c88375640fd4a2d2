/// A sweep on several nodes, which here are ranks on one machine.

#include <sys/resource.h>

#include <algorithm>
#include <regex>

#include "tests/count.hpp"
#include "tests/e2e/command.hpp"
#include "tests/e2e/preload.hpp"
#include "tests/variable.hpp"

using namespace crescendo::tests;

namespace {

/// A sweep that rank 0 checks with check.sh, before any other rank knows of it, until the file `gate` exists.
Command run_up_to_the_gate(const fs::path& folder) {
    write_file(folder / "check.sh",
               "#!/bin/sh\ntouch checking\nwhile [ ! -e gate ]; do sleep 0.05; done\necho '{\"problems\":[]}'\n");
    fs::permissions(folder / "check.sh", fs::perms::owner_all);
    write_file(folder / "sweep.yaml",
               "name: s\nmetric: {name: loss}\nrun_cap: 1\nslots: 1\nparameters: {lr: {min: 0.1, max: 1.0}}\n"
               "scheduler: {type: fifo, max: 1}\ntrainer: {}\n");
    return {folder, {"run", "sweep.yaml"}};
}

/// A program that reports once.
void write_sweep_of_one_trial(const fs::path& folder, const std::string& slots = "") {
    write_file(folder / "sweep.yaml", "name: s\nmetric: {name: loss}\nrun_cap: 1\n" + slots +
                                          "parameters: {x: {min: 0.0, max: 1.0}}\n"
                                          "scheduler: {type: fifo, max: 1}\ncommand: [bash, train.sh]\n");
    write_file(folder / "train.sh", "echo '{\"resource\":1,\"metrics\":{\"loss\":1}}' >&$CRESCENDO_FD\n");
}

/// Trials that create a file when they start, and then wait until the file `gate` exists.
void write_sweep_up_to_the_gate(const fs::path& folder) {
    write_file(folder / "sweep.yaml",
               "name: s\nmetric: {name: loss}\nrun_cap: 12\nslots: 1\nparameters: {x: {min: 0.0, max: 1.0}}\n"
               "scheduler: {type: fifo, max: 10}\ncommand: [bash, train.sh]\n");
    write_file(
        folder / "train.sh",
        "touch started$CRESCENDO_TRIAL; until [ -e gate ]; do sleep 0.05; done\n"
        "for epoch in {1..10}; do sleep 0.1\n"
        "  echo '{\"resource\":'$epoch',\"metrics\":{\"loss\":1}}' >&$CRESCENDO_FD; read -r answer <&$CRESCENDO_FD\n"
        "done\n");
}

int num_started(const fs::path& folder) {
    int count = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        count += entry.path().filename().string().starts_with("started");
    }
    return count;
}

void forbid_new_files(pid_t process) {
    const rlimit none{12, 12};  // MPI itself has more files open, and polls fewer
    REQUIRE(::prlimit(process, RLIMIT_NOFILE, &none, nullptr) == 0);
}

/// On node 2, which programs recognize by their rank's environment, every program fails until the file `mended` exists,
/// but only after programs on other nodes have reported. A program that works on node 2 leaves the file `used2`.
void write_sweep_with_a_bad_node(const fs::path& folder) {
    write_file(folder / "sweep.yaml",
               "name: s\nmetric: {name: loss}\nrun_cap: 16\nslots: 1\nparameters: {x: {min: 0.0, max: 1.0}}\n"
               "scheduler: {type: fifo, max: 10}\ncommand: [bash, train.sh]\n");
    write_file(folder / "train.sh",
               "crescendo=$(awk '/^PPid/ {print $2}' /proc/$PPID/status)\n"
               "node=$(tr '\\0' '\\n' </proc/$crescendo/environ | sed -n 's/^OMPI_COMM_WORLD_RANK=//p')\n"
               "if [ $node = 2 ] && [ ! -e mended ]; then\n"
               "  until [ -e reported ]; do sleep 0.02; done; echo 'no GPU here' >&2; exit 9\n"
               "fi\n"
               "touch used$node\n"
               "for epoch in {1..10}; do sleep 0.1\n"
               "  echo '{\"resource\":'$epoch',\"metrics\":{\"loss\":1}}' >&$CRESCENDO_FD\n"
               "  read -r answer <&$CRESCENDO_FD; touch reported\n"
               "done\n");
}

/// The message describes the slot in parentheses.
bool names_slot_left_out(const std::string& said) {
    return std::regex_search(said, std::regex(R"(slot 2 of node 2 \([^()]+\) is left out: )"));
}

}  // namespace

TEST_CASE("ranks leave if rank 0 dies before they are set up") {
    const Ranks ranks("3", "1");
    const TemporaryFolder folder;
    const Variable trainer("CRESCENDO_TRAINER", folder / "check.sh");
    const Command run = run_up_to_the_gate(folder.path());
    await("rank 0 checks the sweep", [&] { return fs::exists(folder / "checking"); });

    ::kill(run.ranks().at(0), SIGKILL);
    write_file(folder / "gate", "");

    await("the others have left", [&] { return processes_in(folder.path()) == std::vector<long>{run.pid()}; });
}

TEST_CASE("a rank that dies before it is set up ends the session, which can be resumed") {
    const Ranks ranks("3", "2");
    const TemporaryFolder folder;
    const Variable trainer("CRESCENDO_TRAINER", folder / "check.sh");
    const Variable exit_status("CRESCENDO_EXIT_STATUS", folder / "exit");
    Command run = run_up_to_the_gate(folder.path());
    await("rank 0 checks the sweep", [&] { return fs::exists(folder / "checking"); });

    ::kill(run.ranks().at(1), SIGKILL);
    write_file(folder / "gate", "");

    run.wait();
    CHECK_MESSAGE(run.err().find("one of 3 ranks died or hung during setup; resume the sweep") != std::string::npos,
                  run.err());
    CHECK(run.err().find("OMPI_MCA_btl_tcp_if_include") != std::string::npos);  // a firewall looks the same
    CHECK(processes_in(folder.path()).empty());
    CHECK_FALSE(fs::exists(folder / "exit"));  // without this file, a job script launches all ranks again
}

TEST_CASE("ranks that cannot reach each other through MPI are reported") {
    const Ranks ranks("2", "2");
    const Preload preload("MPI_ERROR", "16");
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml",
               "name: s\nmetric: {name: loss}\nrun_cap: 1\nparameters: {x: {min: 0.0, max: 1.0}}\n"
               "scheduler: {type: fifo, max: 1}\ncommand: [bash, train.sh]\n");
    write_file(folder / "train.sh", "");

    Command run(folder.path(), {"run", "sweep.yaml"});

    run.wait();
    CHECK_MESSAGE(run.err().find("the 2 ranks cannot reach each other through MPI") != std::string::npos, run.err());
}

TEST_CASE("programs on several nodes may have many slots each") {
    const Ranks ranks("2", "10");
    const TemporaryFolder folder;
    write_sweep_of_one_trial(folder.path(), "slots: 40\n");

    Command run(folder.path(), {"run", "sweep.yaml"});

    CHECK_MESSAGE(run.wait() == 0, run.err());
    const auto status = run_crescendo(folder.path(), {"status", "s", "--format", "json"}).json();
    CHECK(status.at("slots") == 80);  // their meeting places take some 3 KB as text
}

TEST_CASE("a dead node costs its slots, and the other nodes finish the sweep") {
    const Ranks ranks("3", "5");
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml",
               "name: s\nmetric: {name: loss}\nrun_cap: 12\nslots: 1\nparameters: {x: {min: 0.0, max: 1.0}}\n"
               "scheduler: {type: fifo, max: 10}\ncommand: [bash, train.sh]\n");
    write_file(
        folder / "train.sh",
        "for epoch in {1..10}; do sleep 0.1\n"
        "  echo '{\"resource\":'$epoch',\"metrics\":{\"loss\":1}}' >&$CRESCENDO_FD; read -r answer <&$CRESCENDO_FD\n"
        "done\n");
    Command run(folder.path(), {"run", "sweep.yaml"});
    await("reports of all nodes are in the journal", [&] { return num_reports(folder / "s") >= 6; });

    ::kill(run.ranks().at(2), SIGKILL);

    CHECK(run.wait() == 0);
    CHECK(run.out().find("node 2 is lost: no sign of life for 5 s") != std::string::npos);
    const auto status = run_crescendo(folder.path(), {"status", "s", "--format", "json"}).json();
    CHECK(status.at("state") == "finished");
    CHECK(status.at("slots") == 2);
    CHECK(status.at("trials").at("finished") == 12);
    CHECK(processes_in(folder.path()).empty());
}

TEST_CASE("a rank whose agent fails is reported as lost, the others finish, and all leave together") {
#ifdef __SANITIZE_ADDRESS__
    MESSAGE("skipped: the address sanitizer has files of its own to open");
    return;
#endif
    const Ranks ranks("3", "30");
    const TemporaryFolder folder;
    write_sweep_up_to_the_gate(folder.path());
    Command run(folder.path(), {"run", "sweep.yaml"});
    await("every node has a trial", [&] { return num_started(folder.path()) == 3; });

    forbid_new_files(run.ranks().at(2));  // so that it cannot start another trial
    write_file(folder / "gate", "");

    CHECK(run.wait() == 0);
    CHECK(run.out().find("node 2 is lost: ") != std::string::npos);
    CHECK(run.out().find("no sign of life") == std::string::npos);
    CHECK(run_crescendo(folder.path(), {"status", "s", "--format", "json"}).json().at("trials").at("finished") == 12);
    CHECK(processes_in(folder.path()).empty());
}

TEST_CASE("a rank whose agent has failed leaves when rank 0 dies") {
    const Ranks ranks("3", "2");
    const TemporaryFolder folder;
    write_sweep_up_to_the_gate(folder.path());
    const Command run(folder.path(), {"run", "sweep.yaml"});
    await("every node has a trial", [&] { return num_started(folder.path()) == 3; });
    forbid_new_files(run.ranks().at(2));
    write_file(folder / "gate", "");
    await("its agent fails", [&] { return run.out().find("node 2 is lost: ") != std::string::npos; });

    ::kill(run.ranks().at(0), SIGKILL);

    await("the others have left", [&] { return processes_in(folder.path()) == std::vector<long>{run.pid()}; });
}

TEST_CASE("a node where every worker fails is left out, and the sweep finishes on the others") {
    const Ranks ranks("4", "10");
    const TemporaryFolder folder;
    write_sweep_with_a_bad_node(folder.path());

    Command run(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.wait() == 0);
    CHECK(names_slot_left_out(run.out()));
    const auto status = run_crescendo(folder.path(), {"status", "s", "--format", "json"}).json();
    CHECK(status.at("state") == "finished");
    CHECK(status.at("slots_left_out") == Json::array({2}));
    CHECK(status.at("slots") == 3);
    CHECK(status.at("trials").at("finished").get<int>() + status.at("trials").at("failed").get<int>() == 16);
    CHECK(status.at("trials").at("failed") <= 2);  // three failures in a row make a bad node, two a bad trial
    CHECK(processes_in(folder.path()).empty());
}

TEST_CASE("a node that was left out is used again in the next session") {
    const Ranks ranks("4", "10");
    const TemporaryFolder folder;
    write_sweep_with_a_bad_node(folder.path());
    Command run(folder.path(), {"run", "sweep.yaml"});
    await("node 2 is left out", [&] { return names_slot_left_out(run.out()); });
    REQUIRE(run_crescendo(folder.path(), {"stop", "s"}).code == 0);
    run.wait();
    CHECK_FALSE(fs::exists(folder / "used2"));

    write_file(folder / "mended", "");
    CHECK(run_crescendo(folder.path(), {"resume", "s"}).code == 0);

    CHECK(fs::exists(folder / "used2"));
    const auto status = run_crescendo(folder.path(), {"status", "s", "--format", "json"}).json();
    CHECK(status.at("state") == "finished");
    CHECK(status.at("slots") == 4);
    CHECK(status.value("slots_left_out", Json::array()).empty());
}

TEST_CASE("a node that dies shortly before the end of a sweep does not keep the sweep from ending") {
    const Ranks ranks("3", "2");
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml",
               "name: s\nmetric: {name: loss}\nrun_cap: 1\nslots: 1\nparameters: {x: {min: 0.0, max: 1.0}}\n"
               "scheduler: {type: fifo, max: 1}\ncommand: [bash, train.sh]\n");
    write_file(folder / "train.sh",
               "touch started; until [ -e gate ]; do sleep 0.05; done\n"
               "echo '{\"resource\":1,\"metrics\":{\"loss\":1}}' >&$CRESCENDO_FD; read -r answer <&$CRESCENDO_FD\n");
    Command run(folder.path(), {"run", "sweep.yaml"});
    await("the only trial runs, on rank 0", [&] { return fs::exists(folder / "started"); });

    ::kill(run.ranks().at(2), SIGKILL);  // silent for less than the time-out when the trial ends
    write_file(folder / "gate", "");

    CHECK(run.wait() == 0);
    CHECK(run.out().find("finished: ") != std::string::npos);
    CHECK(processes_in(folder.path()).empty());
}

TEST_CASE("under mpirun the doctor gathers the slots of all ranks, and reports each finding once") {
    const Variable ranks("CRESCENDO_TEST_RANKS", "2");
    const Variable binding("OMPI_MCA_hwloc_base_binding_policy", "none");  // so that both ranks may use every core
    const TemporaryFolder folder;

    const auto result = run_crescendo(folder.path(), {"doctor", "--slots", "2", "--format", "json"});

    CHECK_MESSAGE(result.code == 0, result.out);
    const auto report = result.json();
    REQUIRE(report.at("slots").size() == 4);
    CHECK(report.at("slots")[3].at("node") == 1);
    CHECK(report.at("slots")[3].at("slot") == 3);
    CHECK(report.at("slots")[3].at("CPUs").is_null());  // two ranks must not bind to the same cores
    CHECK(result.out.find("workers are not bound to cores: several ranks share the cores") != std::string::npos);
    CHECK(result.out.find("a message to the last one and back takes") != std::string::npos);
    CHECK(result.out.find("each node can connect to the next one") != std::string::npos);
    CHECK(result.out.find("and its locks are shared by the nodes") != std::string::npos);
    CHECK(result.out.find("flock works") == result.out.rfind("flock works"));
}

TEST_CASE("the doctor and a sweep warn about ranks on one node that would each use all of its GPUs") {
    const Ranks ranks("3", "10");
    const TemporaryFolder folder;
    write_sweep_of_one_trial(folder.path());
    const Variable gpus("CUDA_VISIBLE_DEVICES", "0,1");
    const std::string note = "3 ranks run on one node, and each has slots on GPUs with the same names";

    const auto doctor = run_crescendo(folder.path(), {"doctor", "--format", "json"});
    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    const auto findings = doctor.json().at("findings");
    CHECK_MESSAGE(std::ranges::count_if(findings,
                                        [&](const Json& each) {
                                            return each.at("verdict") == "warning" && each.at("observation") == note;
                                        }) == 1,
                  doctor.out);
    CHECK_MESSAGE(run.code == 0, run.err);
    CHECK_MESSAGE(count(run.err, "note: " + note + "; start one process on each node (`srun ") == 1, run.err);
}

TEST_CASE("a sweep warns about ranks of one node on the same cores, unless a number of slots was requested") {
    const Ranks ranks("2", "10");
    const Variable binding("OMPI_MCA_hwloc_base_binding_policy", "none");  // so that both may use every core
    const TemporaryFolder folder;
    write_sweep_of_one_trial(folder.path(), "slots: 1\n");
    const Variable no_gpus("CUDA_VISIBLE_DEVICES", "");

    const auto one_slot = run_crescendo(folder.path(), {"run", "sweep.yaml"});
    const auto all_slots = run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", "all", "--slots", "all"});

    CHECK(one_slot.err.find("ranks run on one node") == std::string::npos);
    CHECK_MESSAGE(
        all_slots.err.find("2 ranks run on one node, and each has slots on the same cores") != std::string::npos,
        all_slots.err);
}

TEST_CASE("an interface that a rank lacks ends the sweep at once on all ranks") {
    const Variable ranks("CRESCENDO_TEST_RANKS", "2");
    const TemporaryFolder folder;
    write_file(folder / "sweep.yaml",
               "name: s\nmetric: {name: loss}\nrun_cap: 1\nparameters: {x: {min: 0.0, max: 1.0}}\n"
               "scheduler: {type: fifo, max: 1}\ncommand: [\"true\"]\n");

    const auto result = run_crescendo(folder.path(), {"run", "sweep.yaml", "--interface", "eth99"});

    CHECK(result.code == 2);
    CHECK(result.err.find("has no network interface 'eth99'") != std::string::npos);
    CHECK(processes_in(folder.path()).empty());
}

TEST_CASE("a node without a network to the others ends the sweep at once, and the doctor names that node") {
    const Variable ranks("CRESCENDO_TEST_RANKS", "2");
    const Preload preload("RANK_APART", "1");
    const TemporaryFolder folder;
    write_sweep_of_one_trial(folder.path());
    const std::string problem = "node apart.invalid has no default route, and its name belongs to no network";

    const auto doctor = run_crescendo(folder.path(), {"doctor", "--format", "json"});
    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(doctor.code == 1);
    CHECK_MESSAGE(count(doctor.out, problem) == 1, doctor.out);
    CHECK(run.code == 2);
    CHECK_MESSAGE(count(run.err, problem) == 1, run.err);
}
