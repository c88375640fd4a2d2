#include "launch/view/trials_table.hpp"

#include <doctest/doctest.h>

#include "launch/directory/recorded_sweep.hpp"
#include "tests/launch/compare/recorded_sweep.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("columns that would share a name get different names, so that no row loses a value") {
    const TemporaryFolder folder;
    record_sweep(folder / "s",
                 "metric: {name: seconds, goal: maximize}\nrun_cap: 1\nscheduler: {type: fifo, max: 9}\n"
                 "parameters: {trial: {value: 77}, lr: {value: 0.5}, seed: {value: 3}}\n"
                 "command: [train]\n",
                 {}, 1);
    auto journal = Journal::open(folder / "s" / "journal.jsonl");
    journal.append({{"event", "trial_reported"},
                    {"trial", 0},
                    {"resource", 1},
                    {"loss", -9},
                    {"time", 1002},
                    {"metrics", {{"seconds", 9}, {"lr", 0.25}, {"val_loss", 4}}}});
    journal.sync();
    const RecordedSweep sweep(folder / "s");

    const auto row = Json::parse(trials_table(sweep.history).print(Format::json))[0];

    CHECK(row.at("trial") == 0);
    CHECK(row.at("parameters.trial") == 77);
    CHECK(row.at("lr") == 0.5);
    CHECK(row.at("metrics.lr") == 0.25);
    CHECK(row.at("seconds").is_null());  // the training clock, which no report gave
    CHECK(row.at("metrics.seconds") == 9);
    CHECK(row.at("seed") == 3);
    CHECK(row.at("val_loss") == 4);
    CHECK(trial_columns(sweep.history).metric == "metrics.seconds");
    CHECK(trial_columns(sweep.history).parameters.at("lr") == "lr");
}
