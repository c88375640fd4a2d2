#include "launch/compare/sweep_run.hpp"

#include <doctest/doctest.h>

#include "tests/error_of.hpp"
#include "tests/launch/compare/recorded_sweep.hpp"
#include "tests/lost_folder.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;
using analysis::Point;

namespace {

/// Trial 0 is good and slow, trial 1 is bad in the end.
const std::vector<Report> four_reports{{10, 0, 1, 0.5}, {20, 1, 1, 0.6}, {30, 1, 2, 0.4}, {40, 0, 2, 0.7}};

SweepRun read_run(const std::filesystem::path& directory, ClockOf clock) {
    return read_sweep_run(directory, clock, [](std::size_t) {});
}

}  // namespace

TEST_CASE("on the sweep's clock, one curve has the improvements of all trials, with all slot-hours") {
    const TemporaryFolder folder;
    record_sweep(folder / "sweep", two_trials(1), four_reports);

    const auto run = read_run(folder / "sweep", ClockOf::sweeps);

    REQUIRE(run.curves.size() == 1);
    CHECK(run.curves[0].points() == std::vector{Point{10, 20.0 / 3600, 1, -0.5}, Point{20, 40.0 / 3600, 1, -0.6},
                                                Point{40, 80.0 / 3600, 2, -0.7}});
    CHECK(run.file.spec.metric == "accuracy");
    CHECK(run.keys.at("seed") == "1");
}

TEST_CASE("a sweep with repetitions has the values of configurations, not those of lucky seeds") {
    const TemporaryFolder folder;
    const std::string file =
        "metric: {name: accuracy, goal: maximize}\nrun_cap: 2\nseed: 1\nrepeat: 2\n"
        "parameters: {x: {min: 0.0, max: 1.0}}\nscheduler: {type: fifo, max: 2}\ncommand: [train]\n";
    record_sweep(folder / "sweep", file, {{10, 0, 2, 0.9}, {20, 1, 1, 0.1}, {30, 2, 2, 0.6}, {40, 3, 2, 0.4}}, 4);
    auto journal = Journal::open(folder / "sweep/journal.jsonl");
    journal.append({{"event", "trial_finished"}, {"trial", 1}, {"time", 1050.0}});  // and counts with its last value
    journal.sync();

    const auto sweeps = read_run(folder / "sweep", ClockOf::sweeps);
    const auto trials = read_run(folder / "sweep", ClockOf::trials);

    REQUIRE(sweeps.curves.size() == 1);
    CHECK(sweeps.curves[0].points().size() == 1);
    CHECK(sweeps.curves[0].points()[0].seconds == 40);
    CHECK(sweeps.curves[0].points()[0].loss == -0.5);  // of configuration 1; configuration 0 got the same value later
    CHECK(trials.curves.size() == 4);
    CHECK(trials.curves[0].points()[0].loss == -0.9);
}

TEST_CASE("on the trials' clock, each trial has its own curve from the moment when it got a slot") {
    const TemporaryFolder folder;
    // One slot: trial 1 starts when trial 0 is done with its 9 epochs, after 20 seconds.
    record_sweep(folder / "sweep", two_trials(1), {{10, 0, 1, 0.5}, {20, 0, 9, 0.6}, {25, 1, 1, 0.7}}, 1);

    const auto run = read_run(folder / "sweep", ClockOf::trials);

    REQUIRE(run.curves.size() == 2);
    CHECK(run.curves[0].points() == std::vector{Point{10, 10.0 / 3600, 1, -0.5}, Point{20, 20.0 / 3600, 9, -0.6}});
    CHECK(run.curves[1].points() == std::vector{Point{5, 5.0 / 3600, 1, -0.7}});
}

TEST_CASE("the trials' clock is the training clock of their reports") {
    const TemporaryFolder folder;
    record_sweep(folder / "sweep", two_trials(1), {{10, 0, 1, 0.5}});
    auto journal = Journal::open(SweepDirectory::open(folder / "sweep").journal());
    journal.append({{"event", "trial_reported"},
                    {"trial", 0},
                    {"resource", 2},
                    {"loss", -0.9},
                    {"time", 1020.0},
                    {"clock", {12.5, 1.25}},
                    {"metrics", {{"accuracy", 0.9}}}});
    journal.sync();

    const auto points = read_run(folder / "sweep", ClockOf::trials).curves[0].points();

    CHECK(points.front().seconds == 10);  // without a clock, the time that it held slots counts
    CHECK(points.back().seconds == 12.5);
    CHECK(read_run(folder / "sweep", ClockOf::sweeps).curves[0].points().back().seconds == 20);
}

TEST_CASE("the time between two sessions does not count") {
    const TemporaryFolder folder;
    record_sweep(folder / "sweep", two_trials(1), {{10, 0, 1, 0.5}});
    const auto directory = SweepDirectory::open(folder / "sweep");
    auto journal = Journal::open(directory.journal());
    journal.append({{"event", "slots_lost"}, {"time", 1012.0}, {"slots", {0, 1}}});
    journal.append(session_note(5000, "host", 2));
    journal.append({{"event", "slots_joined"},
                    {"time", 5000.0},
                    {"slots", {{{"slot", 0}, {"node", 0}}, {{"slot", 1}, {"node", 0}}}}});
    journal.append({{"event", "trial_reported"},
                    {"trial", 0},
                    {"resource", 2},
                    {"loss", -0.9},
                    {"time", 5008.0},
                    {"metrics", {{"accuracy", 0.9}}}});
    journal.sync();

    CHECK(read_run(folder / "sweep", ClockOf::sweeps).curves[0].points().back().seconds == 20);  // 12 and 8
    CHECK(read_run(folder / "sweep", ClockOf::trials).curves[0].points().back().seconds == 20);
}

TEST_CASE("a report that is repeated or diverged is no improvement") {
    const TemporaryFolder folder;
    record_sweep(folder / "sweep", two_trials(1), {{10, 0, 1, 0.5}, {20, 0, 1, 0.9}});
    auto journal = Journal::open(SweepDirectory::open(folder / "sweep").journal());
    journal.append({{"event", "trial_reported"},
                    {"trial", 1},
                    {"resource", 1},
                    {"loss", nullptr},
                    {"time", 1030.0},
                    {"metrics", {{"accuracy", nullptr}}}});
    journal.sync();

    CHECK(read_run(folder / "sweep", ClockOf::sweeps).curves[0].points().size() == 1);
}

TEST_CASE("a curve stands still while the machine's clock is set back") {
    const TemporaryFolder folder;
    record_sweep(folder / "sweep", two_trials(1), {{10, 0, 1, 0.5}, {4, 0, 2, 0.6}, {12, 0, 3, 0.7}});

    for (const auto clock : {ClockOf::sweeps, ClockOf::trials}) {
        const auto points = read_run(folder / "sweep", clock).curves[0].points();
        REQUIRE(points.size() == 3);
        CHECK(points[1].seconds == 10);
        CHECK(points[2].seconds == 12);
    }
}

TEST_CASE("a directory has to hold a sweep or folders of sweeps") {
    const TemporaryFolder folder;
    record_sweep(folder / "asha/2", two_trials(2), {});
    record_sweep(folder / "asha/1", two_trials(1), {});
    std::filesystem::create_directories(folder / "asha/notes");
    std::filesystem::create_directories(folder / "empty");

    CHECK(sweeps_in(folder / "asha/1") == std::vector{folder / "asha/1"});
    CHECK(sweeps_in(folder / "asha") == std::vector{folder / "asha/1", folder / "asha/2"});
    CHECK(error_of([&] {
              sweeps_in(folder / "empty");
          }).find("empty: neither this folder nor any folder in it holds a sweep") != std::string::npos);
    CHECK(error_of([&] { sweeps_in(folder / "nothing"); }).find("nothing: no such directory") != std::string::npos);
}

TEST_CASE("a sweep on a disk that fails is not mistaken for a folder without one") {
    const tests::LostFolder lost;

    CHECK_THROWS_WITH_AS(sweeps_in(lost.path()), doctest::Contains("/journal.jsonl (try again once this is fixed): "),
                         std::system_error);
}

TEST_CASE("slots that no trial held count as idle on either clock") {
    const TemporaryFolder folder;
    record_sweep(folder / "sweep", two_trials(1), four_reports, /*num_slots=*/3);

    CHECK(read_run(folder / "sweep", ClockOf::sweeps).idle_slot_hours == 40.0 / 3600);  // one of three, for 40 seconds
    CHECK(read_run(folder / "sweep", ClockOf::trials).idle_slot_hours == 40.0 / 3600);
}

TEST_CASE("the price of a slot-hour comes from the sweep file") {
    const TemporaryFolder folder;
    const auto price = [&](const std::string& name, const std::string& section) {
        record_sweep(folder / name, two_trials(1, section), {{10, 0, 1, 0.5}});
        return read_run(folder / name, ClockOf::sweeps).price_of_slot_hour;
    };

    CHECK_FALSE(price("without", ""));
    CHECK(price("slots", "price: {slot_hour: 0.9}\n") == 0.9);
    CHECK(price("nodes", "price: {node_hour: 0.9}\n") == 0.45);  // two slots on one node
}
