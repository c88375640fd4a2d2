#include "launch/export/export_formats.hpp"

#include <doctest/doctest.h>

#include "launch/display/table.hpp"
#include "tests/launch/export/export_a_sweep.hpp"
#include "tests/peak_memory.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("tables have all trials and all reports in the order of time") {
    const ExportedSweep csv(csv_tables);

    CHECK(csv.files.size() == 2);
    CHECK(csv["trials.csv"].starts_with("trial,status,resource,workers,accuracy,val/loss,lr,noise,layers,act,twice,"));
    CHECK(csv["reports.csv"] == "trial,resource,time,seconds,workers,accuracy,val/loss\n"
                                "0,1,10,,1,0.5,\n1,1,12,,1,0.25,\n0,2,20,,1,0.75,\n2,1,21,,1,nan,3\n");
}

TEST_CASE("JSON tables are lists of objects") {
    const ExportedSweep json(json_tables);

    const auto trials = Json::parse(json["trials.json"]);
    REQUIRE(trials.size() == 4);
    CHECK(trials[1].at("status") == "stopped");
    CHECK(trials[1].at("twice") == trials[1].at("lr").get<double>() * 2);
    const auto reports = Json::parse(json["reports.json"]);
    REQUIRE(reports.size() == 4);
    CHECK(reports[2] == Json{{"trial", 0}, {"resource", 2}, {"time", 20.0}, {"seconds", nullptr}, {"workers", 1},
                             {"accuracy", 0.75}, {"val/loss", nullptr}});
    CHECK(reports[3].at("accuracy").is_null());
}

TEST_CASE("a metric named like a column of the reports does not replace that column") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1), {});
    auto journal = Journal::open(folder / "s" / "journal.jsonl");
    journal.append({{"event", "trial_reported"}, {"trial", 1}, {"resource", 1}, {"loss", -0.5}, {"time", 1002},
                    {"metrics", {{"accuracy", 0.5}, {"time", 9}, {"trial", 8}}}});
    journal.sync();
    const RecordedSweep sweep(folder / "s", Reports::all);

    const auto files = json_tables({.sweep = sweep, .folder = folder / "out"}).files;

    CHECK(Json::parse(files[1].second)[0] == Json{{"trial", 1}, {"resource", 1}, {"time", 2.0}, {"seconds", nullptr},
                                                  {"workers", 1}, {"accuracy", 0.5}, {"metrics.time", 9.0},
                                                  {"metrics.trial", 8.0}});
}

TEST_CASE("the table of reports is written without its cells in memory, which are larger than its text") {
    const TemporaryFolder folder;
    record_sweep(folder / "s",
                 "metric: {name: m0}\nparameters: {x: {min: 0.0, max: 1.0}}\nscheduler: {type: fifo, max: 5000}\n"
                 "command: [train]\n",
                 {});
    constexpr int num_metrics = 300, num_reports = 1000;
    auto metrics = Json::object();
    for (int i = 0; i < num_metrics; ++i) {
        metrics["m" + std::to_string(i)] = 0.5;
    }
    auto journal = Journal::open(folder / "s" / "journal.jsonl");
    for (int i = 1; i <= num_reports; ++i) {
        journal.append({{"event", "trial_reported"},
                        {"trial", 0},
                        {"resource", i},
                        {"loss", 0.5},
                        {"time", 1000 + i},
                        {"metrics", metrics}});
    }
    journal.sync();
    const RecordedSweep sweep(folder / "s", Reports::all);

    for (const auto write : {csv_tables, json_tables}) {
        forget_peak_memory();
        const auto before = peak_memory();

        const auto exported = write({.sweep = sweep, .folder = folder / "out"});

        CHECK(exported.files[1].second.size() > num_metrics * num_reports * sizeof("0.5"));
        constexpr auto size_of_cells = static_cast<std::int64_t>(num_metrics * num_reports * sizeof(Cell));
        CHECK((!memory_is_ours || peak_memory() - before < size_of_cells));
    }
}
