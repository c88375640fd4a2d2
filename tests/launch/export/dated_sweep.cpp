#include "launch/export/dated_sweep.hpp"

#include <doctest/doctest.h>

#include "launch/directory/recorded_sweep.hpp"
#include "tests/launch/compare/recorded_sweep.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("every report of a trial is kept, and its date includes the time between sessions") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1), {{10, 0, 1, 0.5}, {20, 0, 2, 0.6}});  // the session begins at 1000
    auto journal = Journal::open(folder / "s/journal.jsonl");
    journal.append({{"event", "slots_lost"}, {"time", 1025}, {"slots", {0, 1}}});
    journal.append(session_note(5000, "host", 1));
    journal.append({{"event", "slots_joined"}, {"time", 5000}, {"slots", {{{"slot", 7}, {"node", 0}}}}});
    journal.append({{"event", "trial_reported"}, {"trial", 0}, {"resource", 9}, {"loss", -0.7}, {"time", 5003},
                    {"metrics", {{"accuracy", 0.7}}}});
    journal.sync();

    const RecordedSweep recorded(folder / "s", Reports::all);
    const DatedSweep sweep(recorded.history);

    const auto& reports = sweep.history().of(TrialId{0}).reports;
    REQUIRE(reports.size() == 3);
    CHECK(sweep.date(reports[1].time) == 1020);
    CHECK(sweep.date(reports[2].time) == 5003);
    CHECK(sweep.started(TrialId{0}) == 1000);
    CHECK(sweep.ended(TrialId{0}) == 5003);
    CHECK(!sweep.ended(TrialId{1}));
    CHECK(sweep.history().sweep().trial(TrialId{1}).status == TrialStatus::waiting);  // nobody works on the sweep
}

TEST_CASE("a report that is the last record of a session has a date in that session") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1), {{10, 0, 1, 0.5}, {20, 0, 9, 0.6}});  // the session begins at 1000
    auto journal = Journal::open(folder / "s/journal.jsonl");
    journal.append(session_note(5000, "host", 1));
    journal.append({{"event", "slots_joined"}, {"time", 5000}, {"slots", {{{"slot", 7}, {"node", 0}}}}});
    journal.sync();

    const RecordedSweep recorded(folder / "s", Reports::all);
    const DatedSweep sweep(recorded.history);

    CHECK(sweep.date(sweep.history().of(TrialId{0}).reports.back().time) == 1020);
    CHECK(sweep.ended(TrialId{0}) == 1020);
}

TEST_CASE("a sweep that was only submitted has no dates") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1), {});
    std::filesystem::remove(folder / "s/journal.jsonl");
    Journal::create(folder / "s/journal.jsonl");

    const RecordedSweep recorded(folder / "s", Reports::all);
    const DatedSweep sweep(recorded.history);

    CHECK(sweep.date(0) == 0);
    CHECK(sweep.history().sweep().trials().empty());
}
