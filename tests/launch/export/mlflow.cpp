#include "launch/export/export_formats.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "tests/launch/export/export_a_sweep.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

namespace {

/// The folder of a trial's run: "EXPERIMENT/RUN/".
std::string run_of(const ExportedSweep& store, const std::string& trial) {
    for (const auto& [name, content] : store.files) {
        if (name.ends_with("/tags/crescendo.trial") && content == trial) {
            return name.substr(0, name.size() - std::string("tags/crescendo.trial").size());
        }
    }
    return "no run";
}

}  // namespace

TEST_CASE("a store has an experiment with the sweep's name and a run for each trial") {
    const ExportedSweep store(mlflow_store);

    const auto run = run_of(store, "0");
    CHECK(store.files.at(run + "metrics/accuracy") == "1010000 0.5 1\n1020000 0.75 2\n");
    CHECK(store.files.at(run + "params/act").size() > 0);
    CHECK(store.files.at(run + "tags/crescendo.status") == "finished");
    const auto& meta = store.files.at(run + "meta.yaml");
    CHECK(meta.find("start_time: 1000000\nstatus: 3\n") != std::string::npos);
    CHECK(meta.find("run_name: \"trial 0\"\n") != std::string::npos);
    CHECK(meta.find("artifact_uri: \"file:///out%20put/" + run + "artifacts\"\n") != std::string::npos);
    const auto experiment = run.substr(0, run.find('/'));
    CHECK(experiment.size() == 18);
    CHECK(store.files.at(experiment + "/meta.yaml").find("name: \"first\"\n") != std::string::npos);
    CHECK(store.remarks.at(0).find("MLFLOW_ALLOW_FILE_STORE") != std::string::npos);
    CHECK(store.remarks.at(0).find("--source '/out put' --target") != std::string::npos);
}

TEST_CASE("a failed trial is a failed run with its last words, and NaN stays NaN") {
    const ExportedSweep store(mlflow_store);

    const auto run = run_of(store, "2");

    CHECK(store.files.at(run + "metrics/accuracy") == "1021000 nan 1\n");
    CHECK(store.files.at(run + "metrics/val/loss") == "1021000 3 1\n");
    CHECK(store.files.at(run + "meta.yaml").find("status: 4\n") != std::string::npos);
    CHECK(store.files.at(run + "tags/crescendo.last_failure") == "Segmentation fault\n\"\\");
}

TEST_CASE("a sweep always gets the same ids, and another sweep gets different ids") {
    const ExportedSweep once(mlflow_store);
    const ExportedSweep twice(mlflow_store);
    const TemporaryFolder folder;
    record_sweep(folder / "other", two_trials(1), {});
    const auto other = mlflow_store({.sweep = RecordedSweep(folder / "other", Reports::all), .folder = "/out"});

    CHECK(once.files == twice.files);
    CHECK(!once.files.contains(other.files[0].first));
}

TEST_CASE("names that MLflow refuses, or that need a file and a folder of one name, are changed") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1), {});
    auto journal = Journal::open(folder / "s/journal.jsonl");
    journal.append({{"event", "trial_reported"}, {"trial", 0}, {"resource", 1}, {"loss", -0.5}, {"time", 1001},
                    {"metrics", {{"accuracy", 0.5}, {"a", 1}, {"a/b", 2}, {"../up", 3}, {"50 %", 4}}}});
    journal.sync();

    const auto store = mlflow_store({.sweep = RecordedSweep(folder / "s", Reports::all), .folder = "/out"});

    std::vector<std::string> names;
    for (const auto& [name, content] : store.files) {
        if (const auto at = name.find("/metrics/"); at != std::string::npos && !name.ends_with('/')) {
            names.push_back(name.substr(at + 9));
        }
    }
    std::ranges::sort(names);
    CHECK(names == std::vector<std::string>{"50 _", "___up", "a", "a_b", "accuracy"});
}

TEST_CASE("names that are too long for a file are cut, and stay different") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1), {});
    const std::string begin(300, 'x');
    auto journal = Journal::open(folder / "s/journal.jsonl");
    journal.append({{"event", "trial_reported"},
                    {"trial", 0},
                    {"resource", 1},
                    {"loss", -0.5},
                    {"time", 1001},
                    {"metrics", {{"accuracy", 0.5}, {begin + "1", 1}, {begin + "2", 2}}}});
    journal.sync();

    const auto store = mlflow_store({.sweep = RecordedSweep(folder / "s", Reports::all), .folder = "/out"});
    add_to_folder(folder / "out", store.files);

    const auto run = store.files.at(1).first.substr(0, store.files.at(1).first.rfind('/'));
    std::set<std::size_t> sizes;
    std::size_t num_metrics = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "out" / run / "metrics")) {
        sizes.insert(entry.path().filename().string().size());
        ++num_metrics;
    }
    CHECK(num_metrics == 3);
    CHECK(sizes == std::set<std::size_t>{8, 150});
}

TEST_CASE("tags distinguish repetitions") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1, "repeat: 2\n"), {{1, 0, 9, 0.75}, {2, 1, 9, 0.25}});

    const auto store = mlflow_store({.sweep = RecordedSweep(folder / "s", Reports::all), .folder = "/out"});

    std::map<std::string, std::string> files(store.files.begin(), store.files.end());
    const auto second = std::ranges::find_if(
        files, [](const auto& file) { return file.first.ends_with("/tags/crescendo.trial") && file.second == "1"; });
    REQUIRE(second != files.end());
    const auto tag = [&](const std::string& name) {
        return files.at(second->first.substr(0, second->first.size() - std::string("trial").size()) + name);
    };
    CHECK(tag("configuration") == "0");
    CHECK(tag("repetition") == "1");
    CHECK(tag("judge") == "mean");
    CHECK(tag("judged") == "0.5");
}

TEST_CASE("two sweeps of one file become two experiments with different names, as an MLflow database requires") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1, "name: s\n"), {});
    const auto runs = folder / "mlruns";
    add_to_folder(runs, {{"123/meta.yaml", "experiment_id: '123'\nname: \"s\"\n"}, {"124/meta.yaml", "name: s 2\n"}});
    const RecordedSweep sweep(folder / "s", Reports::all);

    const auto store = mlflow_store({.sweep = sweep, .folder = runs});
    add_to_folder(runs, store.files);

    const auto& meta = store.files[0].second;
    CHECK_MESSAGE(meta.find("\nname: \"s 3\"\n") != std::string::npos, meta);
    CHECK(store.remarks.at(0) == "the folder already has an experiment s; this one is called s 3");
    CHECK(mlflow_store({.sweep = sweep, .folder = runs}).files == store.files);
}
