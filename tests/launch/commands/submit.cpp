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

TEST_CASE("submit of a sweep that is there already says how to continue it") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    write_sweep(folder.path());
    slurm.answer("sbatch", "echo 17");
    REQUIRE(run_crescendo(folder.path(), {"submit", "sweep.yaml"}).code == 0);

    const auto again = run_crescendo(folder.path(), {"submit", "sweep.yaml"});

    CHECK(again.code == 2);
    CHECK_MESSAGE(again.err.find("s: holds a sweep already; `crescendo submit s` continues it") != std::string::npos,
                  again.err);
}

TEST_CASE("submit refuses a job that has no time to train, and says whose time it is") {
    const PlayedSlurm slurm;
    const TemporaryFolder folder;
    write_sweep(folder.path());

    const auto result = run_crescendo(folder.path(), {"submit", "sweep.yaml", "--time", "1m"});

    CHECK(result.code == 2);
    CHECK_MESSAGE(result.err.find("crescendo: the job's time is 00:01:00, of which the last 120 s are kept") !=
                      std::string::npos,
                  result.err);
}
