#include "launch/doctor/disk_need.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

constexpr double gib = 1024.0 * 1024 * 1024;

TrialsOnDisk trials_of(const std::string& section, int num_slots = 4) {
    const auto file = parse_sweep("metric: {name: loss}\nparameters: {x: {min: 0.0, max: 1.0}}\n" + section,
                                  "sweep.yaml");
    return trials_on_disk(file, num_slots);
}

}  // namespace

TEST_CASE("all trials leave files by default, and also if all may wait at a rung") {
    CHECK(trials_of("run_cap: 100\ncommand: [train]\n").most == 100);
    CHECK(trials_of("run_cap: 100\ncommand: [train]\nkeep: {programs: finished}\n").most == 100);
    CHECK_FALSE(trials_of("budget: {time: 1h}\ncommand: [train]\n").most.has_value());
    for (const auto* scheduler : {"{type: asha, mode: promote, max: 9}", "{type: hyperband, max: 9}",
                                  "{type: successive_halving, max: 9}", "{type: pasha, max: 9}"}) {
        const auto trials = trials_of(std::string("run_cap: 100\ntrainer: {model: mlp}\nscheduler: ") + scheduler);
        CHECK(trials.most == 100);
    }
}

TEST_CASE("with repeat, every repetition is a trial, and all keep their files until the last has ended") {
    CHECK(trials_of("run_cap: 10\nrepeat: 3\ncommand: [train]\n").most == 30);
    CHECK(trials_of("run_cap: 10\nrepeat: 3\ntrainer: {model: mlp}\nscheduler: {type: asha, max: 9}\n").most == 30);
}

TEST_CASE("only running trials and the best have files if the files of other trials are removed when they end") {
    const auto checkpoints = trials_of("run_cap: 100\ntrainer: {model: mlp}\nscheduler: {type: asha, max: 9}\n");
    CHECK(checkpoints.most == 5);
    CHECK(checkpoints.reason == "4 running and the best");
    const auto best = trials_of("budget: {time: 1h}\ncommand: [train]\nkeep: {best: 3, programs: best}\n"
                                "scheduler: {type: asha, max: 9, max_concurrent: 2}\n");
    CHECK(best.most == 5);
    CHECK(best.reason == "2 running and the best 3");
    CHECK(trials_of("run_cap: 3\ncommand: [train]\nkeep: {programs: best}\n").most == 3);
    CHECK(trials_of("run_cap: 9\ncommand: [train]\nkeep: {programs: best}\n"
                    "scheduler: {type: asha, max: 9, workers: 2}\n")
              .most == 3);
}

TEST_CASE("the files that trials left are measured") {
    const tests::TemporaryFolder folder;
    for (const auto& [trial, pages] : {std::pair{"000000", 1}, {"000001", 3}}) {
        std::filesystem::create_directories(folder.path() / "trials" / trial);
        std::ofstream(folder.path() / "trials" / trial / "model") << std::string(pages * 4096, 'x');
    }

    const auto use = disk_use(SweepDirectory(folder.path()));

    CHECK(use.largest == 3 * 4096);
    CHECK(use.all == 4 * 4096);
    CHECK(disk_use(SweepDirectory(folder / "none")).all == 0);
}

TEST_CASE("a sweep whose files will not fit causes a warning with a remedy") {
    const TrialsOnDisk five{5, "4 running and the best"};

    const auto fits = examine_need(five, gib, 0, {8 * gib});
    CHECK(fits.verdict == Verdict::ok);
    CHECK(fits.observation ==
          "at most 5 trials have files at a time (4 running and the best), 1 GiB each: 5 GiB; "
          "8 GiB is free");
    const auto too_large = examine_need(five, 2 * gib, 1 * gib, {8 * gib, /*by_quota=*/true});
    CHECK(too_large.verdict == Verdict::warning);
    CHECK(too_large.observation ==
          "at most 5 trials have files at a time (4 running and the best), 2 GiB each: 10 GiB (1 GiB already on "
          "disk); 8 GiB of your quota is left: a full disk may stop the sweep");
    CHECK(too_large.remedy.find("keep") != std::string::npos);
    CHECK(examine_need(five, 2 * gib, 2 * gib, {8 * gib}).verdict == Verdict::ok);
}

TEST_CASE("if the size of a trial's files is unknown, the finding says how large they may be") {
    CHECK(examine_need({5, "4 running and the best"}, 0, 0, {8 * gib}).observation ==
          "at most 5 trials have files at a time (4 running and the best); 8 GiB is free, so each can take 1.6 GiB");
    CHECK(examine_need({{}, "all"}, 0, 0, {8 * gib}).verdict == Verdict::warning);
}
