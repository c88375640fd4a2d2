#include "launch/report/chronicle.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "launch/files/read_file.hpp"
#include "launch/sweep_file/sweep_file.hpp"
#include "launch/system/wall_clock.hpp"
#include "tests/launch/compare/recorded_sweep.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

namespace {

/// A recorded sweep of two trials in a folder of its own.
struct Recorded {
    explicit Recorded(const std::vector<Report>& reports, const std::string& scheduler = "{type: fifo, max: 9}") {
        auto file = two_trials(1);
        file.replace(file.find("{type"), std::string("{type: fifo, max: 9}").size(), scheduler);
        record_sweep(folder / "s", file, reports);
        spec = parse_sweep(file, "sweep.yaml").spec;
    }

    void add(const std::vector<Json>& records) const {
        auto journal = Journal::open(folder / "s" / "journal.jsonl");
        for (const auto& record : records) {
            journal.append(record);
        }
        journal.sync();
    }

    Chronicle read(bool is_running = false) const {
        return Chronicle::read(spec, folder / "s" / "journal.jsonl", is_running);
    }

    TemporaryFolder folder;
    SweepSpec spec;
};

const Span* span_of(const Chronicle& chronicle, int trial) {
    for (const auto& span : chronicle.spans()) {
        if (span.trial == TrialId{trial}) {
            return &span;
        }
    }
    return nullptr;
}

}  // namespace

TEST_CASE("a trial is on its slots from its start to its end") {
    const Recorded recorded({{2, 0, 1, 0.5}, {3, 1, 1, 0.6}, {5, 0, 9, 0.7}});

    const auto chronicle = recorded.read();

    const auto* first = span_of(chronicle, 0);
    REQUIRE(first != nullptr);
    CHECK(first->from == 0);
    CHECK(first->to == 5);  // it consumed the maximum
    CHECK(first->slots == std::vector{SlotId{0}});
    REQUIRE(chronicle.lanes().size() == 2);
    CHECK(chronicle.lanes()[1].to == 5);
    CHECK(chronicle.problem().empty());
}

TEST_CASE("a running trial is on its slots until now") {
    const Recorded recorded({{2, 0, 1, 0.5}, {4, 1, 1, 0.6}});  // the session begins at 1000
    const double recent = wall_clock() - 30;
    recorded.add({time_note(recent)});

    const auto chronicle = recorded.read(true);

    REQUIRE(span_of(chronicle, 0) != nullptr);
    CHECK(span_of(chronicle, 0)->to >= recent + 29 - 1000);
    CHECK(chronicle.lanes()[0].to >= recent + 29 - 1000);
    CHECK(chronicle.history().slot_seconds() >= 2 * (recent + 29 - 1000));
    CHECK(chronicle.history().sweep().trial(TrialId{0}).status == TrialStatus::running);
}

TEST_CASE("a failure is a fault with its last words, and ends the stay on the slot") {
    const Recorded recorded({{2, 0, 1, 0.5}});
    recorded.add({{{"event", "trial_failed"}, {"trial", 0}, {"kind", "crash"}, {"time", 1003.0}, {"message", "</b>"}},
                  {{"event", "slots_lost"}, {"slots", {1}}, {"time", 1004.0}}});

    const auto chronicle = recorded.read();

    REQUIRE(chronicle.faults().size() == 1);
    CHECK(chronicle.faults()[0].time == 3);
    CHECK(chronicle.faults()[0].message == "</b>");
    CHECK(span_of(chronicle, 0)->to == 3);
    REQUIRE(chronicle.lanes().size() == 2);
    CHECK(chronicle.lanes()[0].slot == SlotId{1});
    CHECK(chronicle.lanes()[0].to == 4);
}

TEST_CASE("a failure that ends the whole group names its slot too") {
    const Recorded recorded({{2, 0, 1, 0.5}});
    recorded.add({{{"event", "trial_failed"}, {"trial", 0}, {"kind", "crash"}, {"suspect", 1}, {"time", 1003.0}}});

    const auto chronicle = recorded.read();

    REQUIRE(chronicle.faults().size() == 1);
    CHECK(chronicle.faults()[0].slot == SlotId{1});
}

TEST_CASE("a change of the group ends one stay on slots and begins the next") {
    const Recorded recorded({}, "{type: fifo, max: 9, workers: 2}");
    recorded.add({{{"event", "trial_failed"}, {"trial", 0}, {"kind", "crash"}, {"slot", 1}, {"time", 1003.0}},
                  {{"event", "slots_lost"}, {"slots", {0, 1}}, {"time", 1004.0}},
                  {{"note", "time"}, {"time", 1005.0}}});

    const auto spans = recorded.read().spans();

    REQUIRE(spans.size() == 2);
    CHECK(spans[0].slots == std::vector{SlotId{0}, SlotId{1}});
    CHECK(spans[0].to == 3);
    CHECK(spans[1].slots == std::vector{SlotId{0}});
    CHECK(spans[1].from == 3);
    CHECK(spans[1].to == 4);
}

TEST_CASE("a damaged journal is read up to the damage") {
    const Recorded recorded({{2, 0, 1, 0.5}, {3, 0, 2, 0.6}, {4, 0, 3, 0.7}});
    const auto path = recorded.folder / "s" / "journal.jsonl";
    auto text = read_file(path);
    text[text.find("0.6")] = '1';
    std::ofstream(path) << text;

    const auto chronicle = recorded.read();

    CHECK(chronicle.problem().find("journal.jsonl:5") != std::string::npos);
    CHECK(chronicle.history().of(TrialId{0}).reports.size() == 1);
}
