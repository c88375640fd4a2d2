#include "launch/steering/idle_sweep.hpp"

#include <doctest/doctest.h>

#include "launch/directory/frozen_file.hpp"
#include "launch/files/read_file.hpp"
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
