#include "launch/batch/slurm_variables.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

TEST_CASE("variables that would override a script are found, except for options that it leaves open") {
    const TemporaryFolder folder;
    std::ofstream(folder / "job.sh") << "#!/bin/bash\n"
                                        "#SBATCH --job-name=s\n#SBATCH --ntasks-per-node=1\n"
                                        "#SBATCH --time=01:00:00\n#SBATCH \"--output=/a b/job-%j.log\"\n"
                                        "#SBATCH --requeue\n#SBATCH -p gpu -q day -M wice\n#SBATCH --comment \"x y\"\n"
                                        "echo --account=a\n";

    const auto variables = overriding_variables(folder / "job.sh");

    for (const auto* name : {"SBATCH_JOB_NAME", "SBATCH_NTASKS_PER_NODE", "SBATCH_TIMELIMIT", "SBATCH_OUTPUT",
                             "SBATCH_ERROR", "SBATCH_NO_REQUEUE", "SBATCH_PARTITION", "SBATCH_QOS", "SBATCH_COMMENT",
                             "SBATCH_ARRAY_INX", "SBATCH_WAIT", "SBATCH_CLUSTERS", "SLURM_CLUSTERS"}) {
        CHECK_MESSAGE(variables.contains(name), name);
    }
    CHECK_FALSE(variables.contains("SBATCH_ACCOUNT"));
    CHECK_FALSE(variables.contains("SBATCH_CONSTRAINT"));
}

TEST_CASE("a variable belongs to the step or to the job") {
    CHECK(is_of_step("SLURM_STEP_NUM_TASKS"));
    CHECK(is_of_step("SLURM_STEPID"));
    CHECK(is_of_step("SLURM_NTASKS"));
    CHECK(is_of_step("SLURM_PROCID"));
    CHECK_FALSE(is_of_step("SLURM_JOB_ID"));
    CHECK_FALSE(is_of_step("SLURM_NTASKS_PER_NODE"));
    CHECK_FALSE(is_of_step("PATH"));
}
