#include "launch/directory/recorded_sweep.hpp"

#include <doctest/doctest.h>

#include "launch/directory/new_sweep.hpp"
#include "launch/directory/reopening.hpp"
#include "launch/journal/journal.hpp"
#include "launch/json/event_json.hpp"
#include "tests/error_of.hpp"
#include "tests/launch/compare/recorded_sweep.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

namespace {

const std::string sweep_text =
    "metric: {name: loss}\nrun_cap: 2\nparameters: {a: {min: 1, max: 2}}\n"
    "scheduler: {type: rasda, max: 4, reduction_factor: 2}\ntrainer: {}\n";

/// A trial survives its first rung on two slots.
void grow(Journal journal) {
    for (const Event& event :
         {Event{SlotsJoined{{{SlotId{0}, NodeId{0}}, {SlotId{1}, NodeId{0}}}}},
          Event{TrialReported{TrialId{0}, Resource{1}, 0.5}}, Event{TrialReported{TrialId{0}, Resource{2}, 0.4}}}) {
        journal.append(record_of(event, /*time=*/1.0));
    }
    journal.sync();
}

/// A sweep whose journal was begun by an older Crescendo with this header.
SweepDirectory older_sweep(const std::filesystem::path& path, const OrderedJson& header) {
    const auto directory = SweepDirectory::create(path, sweep_text, {{"sweep", "s"}});
    grow(Journal::create(directory.journal(), header));
    return directory;
}

int batch_multiple(const RecordedSweep& sweep) { return sweep.history.sweep().trial(TrialId{0}).group.batch.multiple; }

}  // namespace

TEST_CASE("a sweep from an older crescendo keeps its batch policy, also after it is continued") {
    const TemporaryFolder folder;
    Json file = FrozenFile(sweep_text, "s.yaml").to_json();
    file.erase("defaults");

    for (const auto& [name, header] : {std::pair<std::string, OrderedJson>{"no-file", OrderedJson::object()},
                                       {"no-defaults", {{"file", file}}}}) {
        CAPTURE(name);
        const auto directory = older_sweep(folder / name, header);
        auto sweep = RecordedSweep::recover(directory);
        CHECK(sweep.file.spec.scheduler.batch == BatchPolicy::ladder);
        CHECK(batch_multiple(sweep) == 2);

        Reopening reopening(sweep);
        reopening.set({{"run_cap", "3"}});
        auto journal = Journal::open(directory.journal(), sweep.end);
        for (const auto& record : reopening.records()) {
            journal.append(record);
        }
        journal.sync();

        CHECK(reopening.file().spec.scheduler.batch == BatchPolicy::ladder);
        const RecordedSweep continued(folder / name);
        CHECK(continued.frozen.has_value());
        CHECK(continued.file.spec.scheduler.batch == BatchPolicy::ladder);
        CHECK(batch_multiple(continued) == 2);
    }
}

TEST_CASE("a sweep is read with the last report of each trial, or with all reports") {
    const TemporaryFolder folder;
    tests::record_sweep(folder / "s", tests::two_trials(1), {{1, 0, 1, 0.5}, {2, 0, 2, 0.6}});

    const RecordedSweep last(folder / "s");
    const RecordedSweep all(folder / "s", Reports::all);

    CHECK(last.history.of(TrialId{0}).reports.size() == 1);
    CHECK(all.history.of(TrialId{0}).reports.size() == 2);
}

TEST_CASE("a new sweep keeps its global batch, whatever its groups are") {
    const TemporaryFolder folder;
    const auto directory = create_sweep(folder / "s", parse_sweep(sweep_text, "s.yaml"));
    grow(Journal::open(directory.journal()));

    const RecordedSweep sweep(folder / "s");

    CHECK(sweep.file.spec.scheduler.batch == BatchPolicy::global);
    CHECK(sweep.history.sweep().trial(TrialId{0}).rungs_survived == 2);
    CHECK(batch_multiple(sweep) == 1);
}

TEST_CASE("budget.target changes or removes a target that the file gives as metric.target") {
    const TemporaryFolder folder;
    const std::string text =
        "metric: {name: loss, target: 0.5}\nrun_cap: 2\nparameters: {a: {min: 1, max: 2}}\n"
        "scheduler: {type: asha, max: 4}\ntrainer: {}\n";
    create_sweep(folder / "s", parse_sweep(text, "s.yaml"));
    const RecordedSweep sweep(folder / "s");
    REQUIRE(sweep.file.spec.target == 0.5);
    CHECK(sweep.limits().at("metric.target") == 0.5);

    Reopening reopening(sweep);
    reopening.set({{"budget.target", "0.25"}});
    CHECK(reopening.sweep().spec().target == 0.25);
    reopening.set({{"budget.target", {}}});

    CHECK_FALSE(reopening.sweep().spec().target.has_value());
}

TEST_CASE("a change of a setting that this version does not know is reported with the journal") {
    const TemporaryFolder folder;
    const auto directory = create_sweep(folder / "s", parse_sweep(sweep_text, "s.yaml"));
    auto journal = Journal::open(directory.journal());
    const auto record = OrderedJson::parse(
        R"({"event":"limits_changed","time":1,"run_cap":3,"target":null,"time_budget":false,"max_concurrent":null,)"
        R"("max_retries":2,"time_left":true,"set":{"bogus":"3"}})");
    journal.append(record);
    journal.sync();

    const auto error = tests::error_of([&] { RecordedSweep(folder / "s"); });

    CAPTURE(error);
    CHECK(error.starts_with(directory.journal().string() + ": changes a setting in a way"));
    CHECK(error.find("bogus: unknown key") != std::string::npos);
}
