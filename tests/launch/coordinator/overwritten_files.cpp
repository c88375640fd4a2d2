#include "launch/coordinator/overwritten_files.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <fstream>

#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

std::set<TrialId> trial_set(std::initializer_list<int> numbers) {
    std::set<TrialId> result;
    for (const int number : numbers) {
        result.insert(TrialId{number});
    }
    return result;
}

/// A folder where programs run, with a sweep in it.
struct WorkingFolder {
    /// Each version is one second newer than the one before.
    void write(const std::string& name) {
        fs::create_directories((folder / name).parent_path());
        std::ofstream(folder / name) << "weights";
        fs::last_write_time(folder / name, fs::file_time_type{} + std::chrono::seconds(++num_versions));
    }

    std::string end(int trial, std::initializer_list<int> running = {}) {
        return files.note_end(TrialId{trial}, trial_set(running)).value_or("");
    }

    TemporaryFolder folder;
    int num_versions = 0;
    OverwrittenFiles files{folder.path(), folder / "sweep"};
};

}  // namespace

TEST_CASE("a file that two trials wrote is reported once") {
    WorkingFolder work;
    work.write("out/checkpoint-1/model.pt");
    CHECK(work.end(0).empty());
    work.write("out/checkpoint-1/model.pt");
    CHECK(work.end(1).starts_with(
        "trials overwrite each other's out/checkpoint-1/model.pt, so only the last one's is left; give"));
    work.write("out/checkpoint-1/model.pt");
    CHECK(work.end(2).empty());
}

TEST_CASE("a file of concurrent trials is reported once no single trial can have written all versions") {
    WorkingFolder work;
    work.write("model.pt");
    CHECK(work.end(0, {1, 2}).empty());
    work.write("model.pt");
    CHECK(work.end(1, {2, 3}).empty());  // 2 may have written both
    work.write("model.pt");
    CHECK(work.end(2, {3, 4}).empty());
    work.write("model.pt");
    CHECK_FALSE(work.end(3, {4, 5}).empty());
}

TEST_CASE("a trial that was running at the last look may have written a file, even if it has left without an end") {
    WorkingFolder work;
    work.write("model.pt");
    CHECK(work.end(0, {1}).empty());
    work.write("model.pt");
    CHECK(work.end(2).empty());  // 1 may have written both
    work.write("model.pt");
    CHECK_FALSE(work.end(3).empty());
}

TEST_CASE("files of single trials, files that are not models, and files of the sweep are not reported") {
    WorkingFolder work;
    work.write("data.h5");
    work.files = OverwrittenFiles(work.folder.path(), work.folder / "./sweep/");
    for (int trial = 0; trial < 9; ++trial) {
        CAPTURE(trial);
        work.write("model" + std::to_string(trial) + ".pt");
        work.write("model" + std::to_string(trial + 1) + ".pt");  // from a trial that is running
        work.write("slurm.out");
        work.write("sweep/best.pt");
        work.write("out/run/weights/model.pt");  // deeper than the search goes
        CHECK(work.end(trial, {trial + 1}).empty());
    }
    work.write("data.h5");  // only once, by whichever trial
    CHECK(work.end(9).empty());
}

TEST_CASE("a folder that is gone has no overwritten models") {
    WorkingFolder work;
    fs::remove_all(work.folder.path());
    CHECK(work.end(0).empty());
}
