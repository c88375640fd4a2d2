#include "launch/batch/slurm_rescue.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/launch/batch/played_slurm.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

namespace {

void rescue(const PlayedSlurm& slurm) { rescue_if_orphaned("17", slurm.log(), std::chrono::milliseconds(1)); }

std::string log_of(const PlayedSlurm& slurm) {
    std::ostringstream text;
    text << std::ifstream(slurm.log()).rdbuf();
    return text.str();
}

/// A script that runs `first` in its first two calls, and `later` from the third on.
std::string third_time(const std::string& tool, const std::string& first, const std::string& later) {
    return "if [ $(grep -c ^" + tool + " calls) -lt 3 ]; then " + first + "; else " + later + "; fi";
}

}  // namespace

TEST_CASE("a script whose node answers is left alone") {
    const PlayedSlurm slurm;
    slurm.answer("srun", "exit 0");

    rescue(slurm);

    CHECK(slurm.calls("srun --jobid=17 --mpi=none --overlap --nodes=1 --ntasks=1 --nodelist=n1 true") == 1);
    CHECK(slurm.calls("scontrol requeue") == 0);
    CHECK(log_of(slurm).empty());
}

TEST_CASE("a job whose script was on a dead node is requeued as soon as Slurm has noticed, not before") {
    const PlayedSlurm slurm;
    slurm.answer("squeue", third_time("squeue", "echo 'n[1-3] n1'", "echo 'n[2-3] n1'"));
    // Slurm ends this rank when it is asked to queue the job again: the log has to be complete by then.
    slurm.answer("scontrol",
                 R"(case "$*" in *'n[1-3]') printf 'n1\nn2\nn3\n' ;; *'n[2-3]') printf 'n2\nn3\n' ;; )"
                 R"(requeue*) grep -qx 'node n1 died with the script of job 17: queueing the job again' log ;; esac)");

    rescue(slurm);

    CHECK(slurm.calls("srun") == 2);
    CHECK(slurm.calls("scontrol requeue 17") == 1);
    CHECK(slurm.calls("scancel") == 0);
    CHECK(log_of(slurm) == "node n1 died with the script of job 17: queueing the job again\n");
}

TEST_CASE("a job is not requeued while Slurm does not answer") {
    const PlayedSlurm slurm;
    slurm.answer("squeue", third_time("squeue", "echo busy; exit 1", "echo 'n[1-3] n1'"));
    slurm.answer("scontrol", "exit 1");
    slurm.answer("srun", third_time("srun", "exit 1", "exit 0"));

    rescue(slurm);

    CHECK(slurm.calls("squeue") == 5);
    CHECK(slurm.calls("scontrol requeue") == 0);
}

TEST_CASE("nothing is done for a job that no longer runs") {
    const PlayedSlurm slurm;
    slurm.answer("squeue", "true");
    rescue(slurm);
    slurm.answer("squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
    rescue(slurm);

    CHECK(slurm.calls("squeue") == 2);
    CHECK(slurm.calls("s") == 2);
}

TEST_CASE("a job that another rank has queued again is left alone") {
    const PlayedSlurm slurm;
    const std::string said = "node n1 died with the script of job 17: queueing the job again\n";
    std::ofstream(slurm.log()) << "the log so far\n" << said;
    slurm.answer("squeue", "if [ $(grep -c ^squeue calls) = 1 ]; then echo 'n[2-3] n1'; fi");
    slurm.answer("scontrol", R"(case $1 in show) printf 'n2\nn3\n' ;; *) echo 'Job is pending'; exit 1 ;; esac)");

    rescue(slurm);

    CHECK(slurm.calls("scontrol requeue 17") == 1);
    CHECK(slurm.calls("scancel") == 0);
    CHECK(log_of(slurm) == "the log so far\n" + said);
}

TEST_CASE("a job that may not be requeued is cancelled, and the log says how to continue") {
    const PlayedSlurm slurm;
    slurm.answer("scontrol",
                 R"(case $1 in show) printf 'n2\nn3\n' ;; *) echo 'Requested operation is presently disabled for )"
                 R"(job 17' >&2; exit 1 ;; esac)");

    rescue(slurm);

    CHECK(slurm.calls("scontrol requeue 17") == 1);
    CHECK(slurm.calls("scancel 17") == 1);
    CHECK(log_of(slurm).find("is presently disabled for job 17), so it is cancelled; `crescendo submit ") !=
          std::string::npos);
}

TEST_CASE("if Slurm is too busy to requeue a job, that is tried again and the job is not cancelled") {
    const PlayedSlurm slurm;
    slurm.answer("scontrol",
                 R"(case $1 in show) printf 'n2\nn3\n' ;; *) [ $(grep -c '^scontrol requeue' calls) = 2 ] || )"
                 R"({ echo 'slurm_suspend error: Socket timed out on send/recv operation' >&2; exit 1; } ;; esac)");

    rescue(slurm);

    CHECK(slurm.calls("scontrol requeue 17") == 2);
    CHECK(slurm.calls("scancel") == 0);
    CHECK(log_of(slurm) == "node n1 died with the script of job 17: queueing the job again\n");
}
