/// What `crescendo doctor` asks, piece by piece.

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "core/check.hpp"
#include "launch/doctor/file_system.hpp"
#include "launch/doctor/launcher.hpp"
#include "launch/doctor/limits.hpp"
#include "launch/transport/launched.hpp"
#include "launch/transport/mpi_session.hpp"
#include "launch/transport/network.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

using Environment = std::map<std::string, std::string>;

auto lookup(const Environment& environment) {
    return [&environment](const char* name) {
        const auto found = environment.find(name);
        return found != environment.end() ? found->second.c_str() : nullptr;
    };
}

Finding job(int num_ranks, const Environment& environment) {
    const auto system = batch_system(lookup(environment));
    const auto findings = examine_job(num_ranks, *system);
    REQUIRE(findings.size() == 1);
    return findings.front();
}

bool is_empty(const TemporaryFolder& folder) { return std::filesystem::is_empty(folder.path()); }

}  // namespace

TEST_CASE("a folder that can be written passes, and nothing is left in it") {
    const TemporaryFolder folder;

    const auto findings = examine_file_system(folder.path());

    CHECK(findings.size() == 5);
    CHECK(std::ranges::none_of(findings, [](const Finding& each) { return each.verdict == Verdict::problem; }));
    CHECK(is_empty(folder));
}

TEST_CASE("of a folder that is still to be made, the one it will lie in is examined") {
    const TemporaryFolder folder;

    const auto findings = examine_file_system(folder / "new");

    CHECK(findings.size() == 5);
    CHECK(doctest::String(findings.front().observation.c_str()) == Contains(folder.path().string().c_str()));
    CHECK(is_empty(folder));
}

TEST_CASE("a folder that cannot be written is a problem") {
    const auto findings = examine_file_system("/proc/sys");

    REQUIRE(findings.size() == 1);
    CHECK(findings.front().verdict == Verdict::problem);
    CHECK(doctest::String(findings.front().observation.c_str()) == Contains("/proc/sys cannot be written"));
    CHECK(doctest::String(findings.front().remedy.c_str()) == Contains("--dir"));
}

TEST_CASE("a probe is seen, its lock is held, and it goes with its owner") {
    const TemporaryFolder folder;
    std::filesystem::path file;
    {
        const SharedProbe probe(folder.path());
        file = probe.file();
        CHECK(SharedProbe::look_at(file).verdict == Verdict::ok);
    }
    CHECK(is_empty(folder));
    CHECK(SharedProbe::look_at(file).verdict == Verdict::problem);

    std::ofstream(file).put('\n');  // as on a file system whose locks stay on their node
    CHECK(SharedProbe::look_at(file).verdict == Verdict::warning);
}

TEST_CASE("more slots than files may be open are a problem, with the command that helps") {
    const auto findings = examine_limits(100'000'000, /*has_gpus=*/false);

    CHECK(findings.front().verdict == Verdict::problem);
    CHECK(findings.front().remedy == "ulimit -n 800000064");
}

TEST_CASE("tasks that MPI does not know of are a problem, whoever started them") {
    for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
        const Environment two{{variable, "2"}};

        CHECK(examine_launcher(2, lookup(two)).empty());
        const auto alone = examine_launcher(1, lookup(two));
        REQUIRE(alone.size() == 1);
        CHECK(alone[0].verdict == Verdict::problem);
        CHECK(doctest::String(alone[0].observation.c_str()) == Contains("2 tasks were started"));
        const auto mpi = MpiSession::library();
        CHECK(doctest::String(alone[0].remedy.c_str()) ==
              Contains(mpi.empty() ? "start one task only" : ("built with " + mpi).c_str()));
    }
}

TEST_CASE("one process that mpirun or mpiexec started is whole, however many helpers they start by srun") {
    CHECK(examine_launcher(1, lookup({{"OMPI_COMM_WORLD_SIZE", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}})).empty());
    CHECK(examine_launcher(1, lookup({{"PMI_SIZE", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}})).empty());
    CHECK(examine_launcher(1, lookup({})).empty());
}

TEST_CASE("a job of several nodes of which one is used is a warning") {
    const Environment script{{"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NODELIST", "n[1-2]"}, {"SLURM_JOB_NUM_NODES", "2"}};

    CHECK(job(1, script).verdict == Verdict::warning);
    CHECK(job(1, script).remedy == rank_launcher().on_each_node() + " crescendo …");
    CHECK(job(2, script).verdict == Verdict::ok);  // mpirun in the script
    CHECK(job(1, {}).verdict == Verdict::ok);
}

TEST_CASE("an interface that is not there is refused with those that are") {
    CHECK_NOTHROW(require_interface(""));
    CHECK_NOTHROW(require_interface("lo"));
    CHECK_THROWS_WITH_AS(require_interface("eth99"), Contains("has no network interface 'eth99'"), InvalidInput);
    CHECK_THROWS_WITH_AS(require_interface("eth99"), Contains("; it has "), InvalidInput);
}

TEST_CASE("the environment's interfaces are checked as Gloo and NCCL read them") {
    ::setenv("GLOO_SOCKET_IFNAME", "eth99", 1);
    CHECK_THROWS_WITH_AS(require_interface(""), Contains("GLOO_SOCKET_IFNAME"), InvalidInput);
    ::unsetenv("GLOO_SOCKET_IFNAME");

    for (const char* good : {"l", "=lo", "ib,lo", "^docker"}) {
        ::setenv("NCCL_SOCKET_IFNAME", good, 1);
        CHECK_NOTHROW(require_interface(""));
    }
    ::setenv("NCCL_SOCKET_IFNAME", "ib99", 1);
    CHECK_THROWS_WITH_AS(require_interface(""), Contains("NCCL_SOCKET_IFNAME"), InvalidInput);
    ::unsetenv("NCCL_SOCKET_IFNAME");
}
