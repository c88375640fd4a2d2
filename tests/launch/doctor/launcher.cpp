#include "launch/doctor/examinations.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>

#include "launch/transport/launched.hpp"
#include "launch/transport/mpi_session.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
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

}  // namespace

TEST_CASE("tasks unknown to MPI are a problem, whichever launcher started them") {
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

TEST_CASE("one process started by mpirun or mpiexec is complete, whatever helpers they start through srun") {
    CHECK(examine_launcher(1, lookup({{"OMPI_COMM_WORLD_SIZE", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}})).empty());
    CHECK(examine_launcher(1, lookup({{"PMI_SIZE", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}})).empty());
    CHECK(examine_launcher(1, lookup({})).empty());
}

TEST_CASE("an Open MPI that ends all ranks when one dies is a warning, unless it talks over UCX") {
    const crescendo::tests::TemporaryFolder none;
    const crescendo::tests::TemporaryFolder fabrics;
    std::filesystem::create_directory(fabrics / "mlx5_0");
    const auto warns = [&](int num_ranks, const std::string& library, const Environment& environment,
                           const std::filesystem::path& folder) {
        return !examine_library(num_ranks, library, lookup(environment), folder).empty();
    };

    CHECK(warns(2, "Open MPI v5.0.7", {}, none / "missing"));
    CHECK(warns(2, "Open MPI v10.1.0", {{"OMPI_MCA_pml", "ob1"}}, none.path()));
    CHECK_FALSE(warns(2, "Open MPI v5.0.7", {{"OMPI_MCA_pml", "ucx"}}, none.path()));
    CHECK_FALSE(warns(2, "Open MPI v5.0.7", {}, fabrics.path()));
    CHECK_FALSE(warns(1, "Open MPI v5.0.7", {}, none.path()));
    CHECK_FALSE(warns(2, "Open MPI v4.1.4", {}, none.path()));
    CHECK_FALSE(warns(2, "MPICH 5.0.2", {}, none.path()));
}

TEST_CASE("a salloc shell on a login node is told apart from a shell on the job's nodes") {
    Environment shell{{"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NODELIST", "n1"}, {"SLURM_JOB_NUM_NODES", "1"}};
    CHECK(job(1, shell).verdict == Verdict::warning);
    CHECK(job(1, shell).observation.find("only holds the job, and not on the job's nodes") != std::string::npos);
    CHECK(job(2, shell).verdict == Verdict::ok);  // under mpirun

    shell["SLURMD_NODENAME"] = "n1";
    CHECK(job(1, shell).verdict == Verdict::ok);
}

TEST_CASE("using only one node of a job with several nodes is a warning") {
    const Environment script{{"SLURM_JOB_ID", "7"},
                             {"SLURM_JOB_NODELIST", "n[1-2]"},
                             {"SLURM_JOB_NUM_NODES", "2"},
                             {"SLURMD_NODENAME", "n1"}};

    CHECK(job(1, script).verdict == Verdict::warning);
    CHECK(job(1, script).remedy == rank_launcher().on_each_node() + " crescendo …");
    CHECK(job(2, script).verdict == Verdict::ok);  // mpirun in the script
    CHECK(job(1, {}).verdict == Verdict::ok);
}
