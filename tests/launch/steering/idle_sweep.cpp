#include "launch/steering/idle_sweep.hpp"

#include <doctest/doctest.h>

#include "launch/directory/frozen_file.hpp"
#include "launch/files/read_file.hpp"
#include "launch/json/event_json.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

namespace {

const std::string idle_sweep_text =
    "metric: {name: loss}\nrun_cap: 4\nparameters: {a: {min: 1, max: 2}}\n"
    "scheduler: {type: asha, max: 4, reduction_factor: 2}\ntrainer: {}\n";

/// A sweep whose trials have not begun.
struct IdleFixture {
    IdleFixture() : directory(SweepDirectory::create(folder / "s", idle_sweep_text, {{"sweep", "s"}})) {
        Journal::create(directory.journal(), OrderedJson{{"file", FrozenFile(idle_sweep_text, "s.yaml").to_json()}});
    }

    int num_enqueued() const { return RecordedSweep(directory.path()).history.sweep().first_unproposed().value; }

    TemporaryFolder folder;
    SweepDirectory directory;
};

}  // namespace

TEST_CASE("a request that a session carried out before it died is not carried out again") {
    const IdleFixture fixture;
    const EnqueueRequest request{{{"a", "2"}}};
    REQUIRE(IdleSweep(fixture.directory).obey(request, "first").is_accepted);
    REQUIRE(fixture.num_enqueued() == 1);
    const auto before = read_file(fixture.directory.journal());

    const auto again = IdleSweep(fixture.directory).obey(request, "first");

    CHECK(again.is_accepted);
    CHECK(again.text == "already done");
    CHECK(read_file(fixture.directory.journal()) == before);
}

TEST_CASE("the first request that changes something begins one session without slots") {
    const IdleFixture fixture;
    {
        Journal journal = Journal::open(fixture.directory.journal());
        journal.append(session_note(1, "h", 1));
        journal.append(record_of(SlotsJoined{{{SlotId{0}, NodeId{0}}}}, 1));
        journal.sync();
    }
    const auto before = read_file(fixture.directory.journal());
    IdleSweep idle(fixture.directory);

    CHECK(idle.obey(TagRequest{TrialId{0}, {}, {"none"}}, "first").is_accepted);
    CHECK(read_file(fixture.directory.journal()) == before);
    for (const std::string name : {"second", "third"}) {
        CHECK(idle.obey(NoteRequest{TrialId{0}, "text"}, name).is_accepted);
    }

    CHECK_FALSE(idle.has_decided());
    const auto records = Journal::read(fixture.directory.journal());
    REQUIRE(records.size() == 7);  // the header, two lines of the first session, and ours
    CHECK(records[3].at("note") == "session");
    CHECK(records[3].at("slots") == 0);
    CHECK(records[4].at("event") == "slots_lost");
    CHECK(RecordedSweep(fixture.directory.path()).history.sweep().trial(TrialId{0}).status == TrialStatus::waiting);
}

TEST_CASE("a sweep counts as decided once a request was an event, whatever follows") {
    const IdleFixture fixture;
    IdleSweep idle(fixture.directory);

    CHECK(idle.obey(EnqueueRequest{{{"a", "2"}}}, "first").is_accepted);
    CHECK(idle.obey(NoteRequest{{}, "text"}, "second").is_accepted);

    CHECK(idle.has_decided());
}

TEST_CASE("requests with other names, or without one, are carried out each time") {
    const IdleFixture fixture;
    const EnqueueRequest request{{{"a", "2"}}};
    {
        IdleSweep idle(fixture.directory);

        CHECK_FALSE(idle.has_decided());
        for (const std::string name : {"first", "second", "", ""}) {
            CHECK(idle.obey(request, name).is_accepted);
        }
        CHECK(idle.has_decided());
    }

    CHECK(fixture.num_enqueued() == 4);
}
