/// The files that stay in the folders of trials (`keep` in the sweep file), and the space that they need.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "tests/e2e/leaving_sweep.hpp"
#include "tests/variable.hpp"

using namespace crescendo::tests;

namespace {

int num_ended(const fs::path& folder) {
    const auto trials = trials_by_x(folder);
    return static_cast<int>(std::ranges::count_if(trials, [](const auto& each) {
        const auto status = each.second.at("status").template get<std::string>();
        return status == "stopped" || status == "finished";
    }));
}

std::string finding_about_disk(const fs::path& folder, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "doctor");
    arguments.insert(arguments.end(), {"--format", "json"});
    const auto found = run_crescendo(folder, arguments).json();
    for (const auto& finding : found.at("findings")) {
        if (finding.at("about") == "disk") {
            return finding.at("verdict").get<std::string>() + ": " + finding.at("observation").get<std::string>();
        }
    }
    return "none";
}

}  // namespace

TEST_CASE("the best and the failed trials keep the files of their programs, and links are not followed") {
    const TemporaryFolder folder;
    write_leaving_sweep(folder.path(),
                "keep: {best: 2, programs: best}\nparameters: {x: {values: [5, 4, 3, 8, 1, 2]}}\n"
                "scheduler: {type: fifo, max: 3}\n");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    const auto files = files_by_x(folder.path());
    for (const int x : {1, 2, 8}) {
        CHECK(files.at(x) == all_files);
    }
    for (const int x : {3, 4, 5}) {
        CHECK(files.at(x) == records);
    }
    CHECK(content_of(folder / "precious") == "precious\n");
    CHECK(run_crescendo(folder.path(), {"trial", "s", "0"}).code == 0);
}

TEST_CASE("finished trials keep the files of their programs") {
    const TemporaryFolder folder;
    write_leaving_sweep(folder.path(),
                "keep: {programs: finished}\nparameters: {x: {values: [1, 2, 3, 4, 5]}}\n"
                "scheduler: {type: asha, min: 1, max: 3, reduction_factor: 3}\n");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml", "--slots", "1"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    int num_stopped = 0;
    for (const auto& [x, trial] : trials_by_x(folder.path())) {
        const bool has_finished = trial.at("status") == "finished";
        num_stopped += has_finished ? 0 : 1;
        CHECK(files_of(folder.path(), trial.at("trial").get<int>()) == (has_finished ? all_files : records));
    }
    CHECK(num_stopped > 0);
}

TEST_CASE("after kill -9, trials that continue have their files, and the next session removes files of other trials") {
    const TemporaryFolder folder;
    write_leaving_sweep(folder.path(),
                "keep: {programs: best}\nparameters: {x: {values: [9, 2, 3, 4, 5, 6, 7, 1]}}\n"
                "scheduler: {type: asha, mode: promote, min: 1, max: 4, reduction_factor: 2}\n",
                "0.02");
    Command run(folder.path(), {"run", "sweep.yaml"});
    await("two trials end", [&] { return fs::exists(folder / "s/journal.jsonl") && num_ended(folder.path()) >= 2; });
    run.signal(SIGKILL);
    run.wait();
    std::set<int> ended;
    const auto best = run_crescendo(folder.path(), {"best", "s", "--format", "json"}).json().at("trial").get<int>();
    for (const auto& [x, trial] : trials_by_x(folder.path())) {
        const auto status = trial.at("status").get<std::string>();
        if ((status == "stopped" || status == "finished") && trial.at("trial") != best) {
            ended.insert(trial.at("trial").get<int>());
        }
    }
    for (const int trial : ended) {  // as if it had been killed before it removed them
        write_file(folder.path() / "s/trials" / (std::string(5, '0') + std::to_string(trial)) / "left", "");
    }

    const auto resumed = run_crescendo(folder.path(), {"resume", "s"});

    REQUIRE_MESSAGE(resumed.code == 0, resumed.err);
    for (const auto& [x, files] : files_by_x(folder.path())) {
        CHECK_MESSAGE(files == (x == 1 ? all_files : records), x);
    }
    std::set<std::string> began;
    std::istringstream lines(content_of(folder / "began"));
    for (std::string trial; std::getline(lines, trial);) {
        CHECK_MESSAGE(began.insert(trial).second, "trial " << trial << " lost its model");
    }
    CHECK(began.size() == 8);
}

TEST_CASE("doctor says whether the files of a sweep's trials will fit, and counts files already on disk") {
    const TemporaryFolder folder;
    write_leaving_sweep(folder.path(),
                "keep: {best: 3, programs: best}\nparameters: {x: {values: [1, 2, 3, 4, 5, 6, 7]}}\n"
                "scheduler: {type: asha, min: 1, max: 2, reduction_factor: 2}\n");

    const auto unknown = finding_about_disk(folder.path(), {"sweep.yaml"});
    const std::string who = "at most 5 trials have files at a time (2 running and the best 3)";
    CHECK_MESSAGE(unknown.starts_with("ok: " + who + "; "), unknown);
    CHECK(unknown.find("so each can take ") != std::string::npos);
    const auto huge = finding_about_disk(folder.path(), {"sweep.yaml", "--per-trial", "1000TB"});
    CHECK_MESSAGE(huge.starts_with("warning: " + who + ", "), huge);
    CHECK(huge.find("a full disk may stop the sweep") != std::string::npos);
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);
    for (const auto* target : {"s", "sweep.yaml"}) {
        const auto measured = finding_about_disk(folder.path(), {target});
        CHECK_MESSAGE(measured.starts_with("ok: " + who + ", "), measured);
        CHECK(measured.find(" already on disk); ") != std::string::npos);
    }
    CHECK(finding_about_disk(folder.path(), {"."}) == "none");
}

TEST_CASE("doctor respects the quota that lfs reports") {
    const TemporaryFolder folder;
    write_leaving_sweep(folder.path(), "run_cap: 4\nparameters: {x: {values: [1, 2, 3, 4]}}\n");
    fs::create_directory(folder / "bin");
    write_file(folder / "bin/lfs", "#!/bin/sh\necho \"$5 1000 0 1004 - 17 0 0 -\"\n");
    fs::permissions(folder / "bin/lfs", fs::perms::all);
    const Variable path("PATH", (folder / "bin").string() + ":" + std::getenv("PATH"));

    const auto finding = finding_about_disk(folder.path(), {"sweep.yaml", "--per-trial", "4KiB"});

    CHECK(finding ==
          "warning: at most 4 trials have files at a time (all, because keep.programs is `all`), 4 KiB "
          "each: 16 KiB; 4 KiB of your quota is left: a full disk may stop the sweep");
}
