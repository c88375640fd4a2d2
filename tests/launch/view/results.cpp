#include "launch/view/results.hpp"

#include <doctest/doctest.h>

#include "launch/directory/recorded_sweep.hpp"
#include "launch/view/trials_table.hpp"
#include "tests/launch/compare/recorded_sweep.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("a whole number stays whole in tables and in the best trial, as the program got it") {
    const TemporaryFolder folder;
    record_sweep(folder / "s",
                 "metric: {name: loss, goal: minimize}\nrun_cap: 1\nscheduler: {type: fifo, max: 9}\n"
                 "parameters: {width: {distribution: q_uniform, min: 48, max: 48.5, q: 1}}\n"
                 "command: [train]\n",
                 {{0.5, 0, 1, 0.5}}, 1);
    const RecordedSweep sweep(folder / "s");

    const auto row = Json::parse(trials_table(sweep.history).print(Format::json))[0];
    const auto best = Json::parse(best_text(sweep.history, sweep.directory, Format::json, {}));

    CHECK(row.at("width").is_number_integer());
    CHECK(best.at("config").at("width").is_number_integer());
}

TEST_CASE("the table counts the slot-hours and cost of running trials until now, like the total of the sweep") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1), {{1800, 0, 1, 0.5}});
    History history = History::read(parse_sweep(two_trials(1), "s.yaml").spec, folder / "s/journal.jsonl");
    history.come_to(1000 + 3600);

    const auto rows = Json::parse(trials_table(history, 2.0).print(Format::json));
    const auto best = Json::parse(best_text(history, SweepDirectory(folder / "s"), Format::json, 2.0));

    for (const auto& row : rows) {
        CHECK(row.at("slot_hours") == 1);
        CHECK(row.at("cost") == 2);
    }
    CHECK(best.at("slot_hours") == 1);
    CHECK(best.at("cost") == 2);
    CHECK(spending_json(history, 2.0).at("slot_hours") == 2);
}

TEST_CASE("metrics of a program are not called those of validation data, because only the program knows") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1), {{10, 0, 9, 0.5}});
    const RecordedSweep sweep(folder / "s");

    const auto text = best_text(sweep.history, sweep.directory, Format::csv, {});

    CHECK(text.find("\nmetric,accuracy,0.5\n") != std::string::npos);
    CHECK(text.find("validation") == std::string::npos);
}
