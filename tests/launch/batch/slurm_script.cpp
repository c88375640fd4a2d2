#include <doctest/doctest.h>

#include "core/check.hpp"
#include "launch/batch/slurm.hpp"
#include "tests/contains.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::contains;

namespace {

JobRequest slurm_request() {
    JobRequest request;
    request.name = "s";
    request.directory = "/sweeps/s";
    request.log = "/sweeps/s/job-%j.log";
    request.site.launcher = "srun --mpi=pmix";
    return request;
}

ScriptParts parts(const JobRequest& request) { return Slurm(::getenv).script_parts(request); }

}  // namespace

TEST_CASE("a job script asks Slurm for what the options request") {
    auto job = slurm_request();
    job.options.nodes = 4;
    job.options.time = std::chrono::hours(30);
    job.options.more = {"--constraint=a100", "--comment a b", "--exclusive"};

    const auto directives = parts(job).directives;

    CHECK(contains(directives, "#SBATCH --nodes=4\n"));
    CHECK(contains(directives, "#SBATCH --time=30:00:00\n"));
    CHECK(contains(directives, "#SBATCH --constraint=a100\n"));
    CHECK(contains(directives, "#SBATCH --comment \"a b\"\n"));
    CHECK(contains(directives, "#SBATCH --output=/sweeps/s/job-%j.log\n"));
    CHECK(contains(directives, "#SBATCH --signal=B:USR2@120\n"));
}

TEST_CASE("srun gets the options that start one process on each node; another launcher gets none") {
    auto job = slurm_request();
    job.options.cpus_per_task = 8;
    CHECK(contains(parts(job).launcher, "srun --mpi=pmix --overlap --no-kill "));
    CHECK(contains(parts(job).launcher, " --kill-on-bad-exit=0 --wait=0 "));  // a site may set WaitTime
    CHECK(contains(parts(job).launcher, " --nodelist=\"$nodes\" --nodes=\"$count\" "));
    CHECK(contains(parts(job).launcher, " --cpus-per-task=8"));

    job.site.launcher = "mpiexec.hydra -ppn 1 -n $count -hosts $nodes";
    CHECK(parts(job).launcher == job.site.launcher);
}

TEST_CASE("options and folders that a script for sbatch cannot have are refused") {
    auto job = slurm_request();
    job.options.more = {"--comment=a\n#SBATCH --uid=0"};
    CHECK_THROWS_WITH_AS(parts(job), doctest::Contains("line feed"), InvalidInput);

    job.options.more = {"--signal=B:TERM@10"};
    CHECK_THROWS_WITH_AS(parts(job), doctest::Contains("the job script sets"), InvalidInput);

    for (const auto* other : {"-a0-2", "-N4", "-o/dev/null", "-D /x", "--arr=0-2", "--out x", "--err=x"}) {
        job.options.more = {other};
        CHECK_THROWS_WITH_AS(parts(job), doctest::Contains("the job script sets"), InvalidInput);
    }
    job.options.more = {"-xn4",        "-C a100",      "--nodelist=n1",     "--ntasks-per-core=1",
                        "--exclusive", "--no-requeue", "--wait-all-nodes=1"};
    CHECK_NOTHROW(parts(job));

    for (const auto* answerless : {"--wait", "-W", "--test-only"}) {
        job.options.more = {answerless};
        CHECK_THROWS_WITH_AS(parts(job), doctest::Contains("or cannot work with it"), InvalidInput);
    }

    job.options.more = {"constraint=a100"};
    CHECK_THROWS_WITH_AS(parts(job), doctest::Contains("begin with '-'"), InvalidInput);

    job = slurm_request();
    for (const char* folder : {"/sweeps/100%", "/sweeps/a\\\\b"}) {
        job.directory = folder;
        CHECK_THROWS_WITH_AS(parts(job), doctest::Contains("which Slurm replaces"), InvalidInput);
    }
}
