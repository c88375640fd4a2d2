#include "launch/batch/slurm_tools.hpp"

#include <doctest/doctest.h>

#include "tests/launch/batch/played_slurm.hpp"
#include "tests/variable.hpp"

using namespace crescendo::launch;
using crescendo::tests::PlayedSlurm;
using crescendo::tests::Variable;

TEST_CASE("Slurm's tools see which Slurm to ask, but neither our own job nor the user's filters") {
    const Variable job("SLURM_JOB_ID", "17");
    const Variable configuration("SLURM_CONF", "/etc/slurm.conf");
    const Variable states("SQUEUE_STATES", "PENDING");
    const Variable partition("SINFO_PARTITION", "gpu");

    const auto answer =
        run_slurm_tool({"bash", "-c", "echo $SLURM_JOB_ID,$SLURM_CONF,$SQUEUE_STATES,$SINFO_PARTITION"});

    CHECK(answer.output == ",/etc/slurm.conf,,");
}

TEST_CASE("Slurm's tools ask the cluster that the user has chosen, but in a job the job's own") {
    const std::vector<std::string> look{"bash", "-c", "echo $SLURM_CLUSTERS"};
    const Variable cluster("SLURM_CLUSTERS", "wice");

    CHECK(run_slurm_tool(look).output == "wice");

    const Variable job("SLURM_JOB_ID", "17");
    CHECK(run_slurm_tool(look).output.empty());
}

TEST_CASE("squeue's answer, a job that it has forgotten, and a missing answer are told apart") {
    const PlayedSlurm slurm;
    CHECK(ask_squeue("17", "%N %B", "RUNNING") == "n[1-3] n1");
    CHECK(slurm.calls("squeue --noheader --jobs=17 --format=%N %B --states=RUNNING") == 1);

    slurm.answer("squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
    CHECK(ask_squeue("17", "%T") == "");

    slurm.answer("squeue", "echo 'Unable to contact slurm controller' >&2; exit 1");
    CHECK_FALSE(ask_squeue("17", "%T").has_value());

    slurm.answer("squeue", "echo 'ERROR: ld.so: object cannot be preloaded: ignored.' >&2; echo RUNNING");
    CHECK(ask_squeue("17", "%T") == "RUNNING");
}
