#include "launch/export/export_formats.hpp"

#include <doctest/doctest.h>

#include "tests/contains.hpp"
#include "tests/launch/export/export_a_sweep.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("each trial is a run with its scalars and configuration, and the sweep describes the table of trials") {
    const ExportedSweep logs(tensorboard_logs);

    CHECK(logs.files.size() == 5);
    CHECK(logs.files.contains("events.out.tfevents.1000.crescendo"));
    const auto& experiment = logs.files.at("events.out.tfevents.1000.crescendo");
    CHECK(contains(experiment, "_hparams_/experiment"));
    CHECK(contains(experiment, "layers"));
    const auto& trial = logs.files.at("000002/events.out.tfevents.1000.crescendo");
    CHECK(contains(trial, "_hparams_/session_start_info"));
    CHECK(contains(trial, "val/loss"));
    CHECK(contains(trial, "_hparams_/session_end_info"));
}

TEST_CASE("a later export of a sweep begins with the bytes of the earlier export") {
    const TemporaryFolder folder;
    record_sweep(folder / "first", various_trials(), {{10, 0, 1, 0.5}, {12, 1, 1, 0.25}}, 4);
    const auto before = tensorboard_logs({.sweep = RecordedSweep(folder / "first", Reports::all)});
    auto journal = Journal::open(folder / "first/journal.jsonl");
    journal.append({{"event", "trial_reported"}, {"trial", 0}, {"resource", 2}, {"loss", -0.75}, {"time", 1020},
                    {"metrics", {{"accuracy", 0.75}}}});
    journal.sync();

    const auto after = tensorboard_logs({.sweep = RecordedSweep(folder / "first", Reports::all)});

    REQUIRE(after.files.size() == before.files.size());
    for (std::size_t i = 0; i < before.files.size(); ++i) {
        CHECK(after.files[i].first == before.files[i].first);
        CHECK(after.files[i].second.starts_with(before.files[i].second));
    }
    CHECK(after.files[1].second.size() > before.files[1].second.size());
}

TEST_CASE("a constant that no trial has is exported with its own value") {
    const TemporaryFolder folder;
    record_sweep(folder / "s",
                 "metric: {name: accuracy, goal: maximize}\nrun_cap: 1\nparameters:\n  kind: {value: plain}\n"
                 "  depth: {value: 3, when: kind == 'deep'}\n"
                 "  name: {value: absent, when: kind == 'deep'}\nscheduler: {type: fifo, max: 9}\ncommand: [train]\n",
                 {{10, 0, 1, 0.5}}, 1);

    const auto exported = tensorboard_logs({.sweep = RecordedSweep(folder / "s", Reports::all)});

    CHECK(contains(exported.files.front().second, "depth"));
    CHECK(contains(exported.files.front().second, "absent"));
}

TEST_CASE("a parameter that no trial has yet is exported with its type") {
    const TemporaryFolder folder;
    record_sweep(folder / "s",
                 "metric: {name: accuracy, goal: maximize}\nrun_cap: 1\nparameters:\n  kind: {value: plain}\n"
                 "  lr: {min: 0.0, max: 1.0, when: kind == 'deep'}\n  twice: {expression: 2 * lr}\n"
                 "scheduler: {type: fifo, max: 9}\ncommand: [train]\n",
                 {{10, 0, 1, 0.5}}, 1);

    const auto exported = tensorboard_logs({.sweep = RecordedSweep(folder / "s", Reports::all)});

    const auto& experiment = exported.files.front().second;
    CHECK(contains(experiment, "\x0a\x02lr\x20\x03"));  // field 1 is the name; field 4 is 3 for a number
    CHECK(contains(experiment, "\x0a\x05twice\x20\x03"));
}
