#include "tests/launch/commands/old_sweep.hpp"
#include "tests/launch/commands/sweep_file.hpp"
#include "tests/launch/compare/recorded_sweep.hpp"

using namespace crescendo::tests;

TEST_CASE("trial shows one trial's curve, slots, notes and log") {
    const OldSweep sweep;
    sweep.run({"note", "s", "0", "looks good"});
    sweep.run({"tag", "s", "0", "baseline"});

    const auto text = sweep.run({"trial", "s", "0"}).out;

    CHECK(contains(text, "trial       0 of "));
    CHECK(contains(text, "status      finished (completed)"));
    CHECK(contains(text, "origin      random"));
    CHECK(contains(text, "curve       █▄▁"));  // 0.8, 0.7, 0.6
    CHECK(contains(text, "slots       0 from 0:00"));
    CHECK(contains(text, "tags        baseline"));
    CHECK(contains(text, "note        looks good"));
    CHECK(contains(text, "log         s/trials/000000/trainer.log"));
}

TEST_CASE("trial as JSON has every report and every move between slots") {
    const OldSweep sweep;

    const auto trial = sweep.run({"trial", "s", "0", "--format", "json"}).json();

    CHECK(trial.at("status") == "finished");
    REQUIRE(trial.at("reports").size() == 3);
    CHECK(trial.at("reports")[2].at("metrics").at("loss") == 0.6);
    REQUIRE(trial.at("moves").size() == 1);
    CHECK(trial.at("moves")[0].at("slots") == Json::array({0}));
    CHECK(trial.at("failures").empty());
    CHECK(trial.at("config").contains("a"));
    CHECK(trial.at("origin") == "random");
}

TEST_CASE("trial as JSON has all metrics of each report, not only of the last") {
    const TemporaryFolder folder;
    write_sweep(folder.path(),
                "for n in 1 2 3; do\n"
                "  echo '{\"resource\": '$n', \"metrics\": {\"loss\": 0.5, \"other\": '$n'}}' >&$CRESCENDO_FD\n"
                "  read -r reply <&$CRESCENDO_FD\ndone");
    auto file = content_of(folder / "sweep.yaml");
    write_file(folder / "sweep.yaml", file.replace(file.find("max: 1}\ncommand"), 6, "max: 3"));
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);

    const auto reports = run_crescendo(folder.path(), {"trial", "s", "0", "--format", "json"}).json().at("reports");

    REQUIRE(reports.size() == 3);
    CHECK(reports[0].at("metrics").at("other") == 1);
}

TEST_CASE("trial refuses a trial that has not started") {
    const OldSweep sweep;
    CHECK(contains(sweep.run({"trial", "s", "2"}).err, "trial 2 has not started"));
    CHECK(contains(sweep.run({"trial", "s", "best"}).err, "best is not a whole number from 0"));
    CHECK(sweep.run({"trial", "s", "0", "--format", "csv"}).code == 2);
}

TEST_CASE("a report that is not finite is not the best of a trial") {
    const TemporaryFolder folder;
    write_sweep(folder.path(),
                "for loss in NaN 0.5 0.7; do\n"
                "  echo '{\"resource\": '$((++n))', \"metrics\": {\"loss\": '$loss'}}' >&$CRESCENDO_FD\n"
                "  read -r reply <&$CRESCENDO_FD\ndone");
    auto file = content_of(folder / "sweep.yaml");
    write_file(folder / "sweep.yaml", file.replace(file.find("max: 1}\ncommand"), 6, "max: 3"));
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);

    const auto text = run_crescendo(folder.path(), {"trial", "s", "0"}).out;

    CHECK_MESSAGE(contains(text, "0.7 at 3, the best of 3 reports 0.5 at 2"), text);
}

TEST_CASE("trial shows a report without the metric, although crescendo never writes one") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1), {{1, 0, 1, 0.7}});
    auto journal = crescendo::launch::Journal::open(folder / "s/journal.jsonl");
    journal.append({{"event", "trial_reported"},
                    {"trial", 0},
                    {"resource", 2},
                    {"loss", -0.8},
                    {"time", 1002},
                    {"metrics", {{"other", 1}}}});
    journal.sync();

    const auto text = run_crescendo(folder.path(), {"trial", "s", "0"}).out;

    CHECK_MESSAGE(contains(text, "nan at 2, the best of 2 reports 0.7 at 1"), text);
}
