#include "launch/directory/waste.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <set>

#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

/// The files that remain in the folder of trial 7, which had every kind of file, once `waste` is removed.
std::set<std::string> left_by(Waste waste) {
    const TemporaryFolder folder;
    const SweepDirectory directory(folder.path());
    const auto trial = directory.trial(TrialId{7});
    fs::create_directories(trial / "wandb");
    for (const auto* name : {"params.json", "trainer.log", "latency.json", "checkpoint.pt", "checkpoint.pt.tmp.n1.42",
                             "checkpoint.pth", "model.bin", "wandb/run"}) {
        std::ofstream(trial / name) << "content";
    }

    remove_waste(waste, TrialId{7}, directory);

    std::set<std::string> left;
    for (const auto& each : fs::recursive_directory_iterator(trial)) {
        left.insert(each.path().lexically_relative(trial));
    }
    return left;
}

}  // namespace

TEST_CASE("no file of a kept trial is removed") { CHECK(left_by(Waste::nothing).size() == 9); }

TEST_CASE("a checkpoint is removed together with a half-written newer one") {
    CHECK(left_by(Waste::checkpoint) == std::set<std::string>{"params.json", "trainer.log", "latency.json",
                                                              "checkpoint.pth", "model.bin", "wandb", "wandb/run"});
}

TEST_CASE("removing all files keeps the files that Crescendo wrote about the trial") {
    CHECK(left_by(Waste::all_files) == std::set<std::string>{"params.json", "trainer.log", "latency.json"});
}
