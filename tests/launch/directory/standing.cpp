#include "launch/directory/standing.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "launch/directory/new_sweep.hpp"
#include "launch/directory/sweep_lock.hpp"
#include "tests/launch/batch/played_slurm.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

namespace {

SweepDirectory new_sweep(const std::filesystem::path& path) {
    return create_sweep(path, parse_sweep("metric: {name: loss}\nparameters: {a: {min: 1, max: 2}}\n"
                                          "scheduler: {type: rasda, max: 4}\ntrainer: {}\n",
                                          "s.yaml"));
}

}  // namespace

TEST_CASE("a sweep is running while its lock is held or its job runs") {
    const tests::PlayedSlurm slurm;
    slurm.answer("squeue", "echo RUNNING");
    const TemporaryFolder folder;
    const auto directory = new_sweep(folder / "s");

    CHECK(standing_of(RecordedSweep(folder / "s")) == Standing::stopped);
    CHECK_FALSE(is_open(Standing::stopped));
    {
        const SweepLock lock(directory);
        CHECK(standing_of(RecordedSweep(folder / "s")) == Standing::running);
    }
    CHECK(standing_of(RecordedSweep(folder / "s")) == Standing::stopped);
    CHECK(slurm.calls("squeue") == 0);
    directory.note_job("17");
    CHECK(standing_of(RecordedSweep(folder / "s")) == Standing::running);
    CHECK(is_open(Standing::running));
}

TEST_CASE("a view asks about the holder's job only once in half a minute if only the lock file names the holder") {
    const tests::PlayedSlurm slurm;
    slurm.answer("squeue", "echo RUNNING");
    const TemporaryFolder folder;
    const auto directory = new_sweep(folder / "s");
    std::ofstream(directory.lock()) << "process 7 on n1\n" << Json{{"host", "n1"}, {"pid", 7}, {"job", "17"}} << "\n";
    JobWatch watch;

    CHECK(RecordedSweep(folder / "s", Reports::last, &watch).holder == "process 7 on n1");
    CHECK(RecordedSweep(folder / "s", Reports::last, &watch).holder == "process 7 on n1");
    CHECK(slurm.calls("squeue") == 1);

    CHECK(RecordedSweep(folder / "s").holder == "process 7 on n1");  // without a watch, the answer is current
    CHECK(slurm.calls("squeue") == 2);
}

TEST_CASE("a view asks the batch system once in half a minute about a job, and about another job at once") {
    const tests::PlayedSlurm slurm;
    slurm.answer("squeue", "echo PENDING");
    const TemporaryFolder folder;
    const auto directory = new_sweep(folder / "s");
    directory.note_job("17");
    const RecordedSweep sweep(folder / "s");
    JobWatch watch;

    CHECK(standing_of(sweep, &watch) == Standing::queued);
    slurm.answer("squeue", "exit 1");
    CHECK(standing_of(sweep, &watch) == Standing::queued);
    CHECK(slurm.calls("squeue") == 1);
    directory.note_job("18");
    CHECK(standing_of(sweep, &watch) == Standing::unknown);
    CHECK(standing_of(sweep, &watch) == Standing::unknown);
    CHECK(slurm.calls("squeue") == 2);

    CHECK(standing_of(sweep) == Standing::unknown);  // without a watch, the answer is current
    CHECK(slurm.calls("squeue") == 3);
}

TEST_CASE(
    "without a readable job script, a copy of a submitted sweep does not count as running, but a moved sweep does") {
    const tests::PlayedSlurm slurm;
    slurm.answer("squeue", "echo RUNNING");
    const TemporaryFolder folder;
    const auto directory = new_sweep(folder / "s");
    directory.note_job("17");
    std::filesystem::copy(folder / "s", folder / "copy", std::filesystem::copy_options::recursive);

    CHECK(standing_of(RecordedSweep(folder / "s")) == Standing::running);
    CHECK(standing_of(RecordedSweep(folder / "copy")) == Standing::stopped);
    std::filesystem::rename(folder / "s", folder / "moved");
    CHECK(standing_of(RecordedSweep(folder / "moved")) == Standing::running);
}
