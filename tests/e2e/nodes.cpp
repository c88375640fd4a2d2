/// A sweep on several nodes, which here are ranks on one machine.

#include "tests/e2e/command.hpp"

using namespace crescendo::tests;

TEST_CASE("a node that dies costs its slots, and the others finish the sweep") {
    ::setenv("CRESCENDO_TEST_RANKS", "3", 1);
    ::setenv("CRESCENDO_HEARTBEAT_TIMEOUT", "2", 1);
    ::setenv("OMPI_MCA_orte_enable_recovery", "1", 1);  // else mpirun ends the job when a rank dies
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
    CHECK(run.out().find("node 2 is lost: no sign of life for 2 s") != std::string::npos);
    const auto status = run_crescendo(folder.path(), {"status", "s", "--format", "json"}).json();
    CHECK(status.at("state") == "finished");
    CHECK(status.at("slots") == 2);
    CHECK(status.at("trials").at("finished") == 12);
    CHECK(processes_in(folder.path()).empty());
    ::unsetenv("CRESCENDO_TEST_RANKS");
    ::unsetenv("CRESCENDO_HEARTBEAT_TIMEOUT");
    ::unsetenv("OMPI_MCA_orte_enable_recovery");
}
