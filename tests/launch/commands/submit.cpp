#include "tests/launch/batch/played_slurm.hpp"
#include "tests/launch/commands/sweep_file.hpp"

using namespace crescendo::tests;

TEST_CASE("submit leaves nothing behind if the job is refused") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    write_sweep(folder.path());
    slurm.answer("sbatch", "echo no such partition; exit 1");

    const auto result = run_crescendo(folder.path(), {"submit", "sweep.yaml"});

    CHECK(result.code == 2);
    CHECK_FALSE(fs::exists(folder / "s"));
}

TEST_CASE("submit keeps the folder of a job that is queued, and names the job, if it cannot note it") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    write_sweep(folder.path());
    slurm.answer("sbatch", "rm " + (folder / "s/run.json").string() + "; echo 17");

    const auto result = run_crescendo(folder.path(), {"submit", "sweep.yaml"});

    CHECK(result.code != 0);
    CHECK_MESSAGE((result.out + result.err).find("job 17 is queued") != std::string::npos, result.err);
    CHECK(fs::exists(folder / "s/job.sh"));
}
