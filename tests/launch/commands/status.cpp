#include "launch/journal/journal.hpp"
#include "tests/count.hpp"
#include "tests/launch/batch/played_slurm.hpp"
#include "tests/launch/commands/old_sweep.hpp"
#include "tests/launch/commands/sweep_file.hpp"
#include "tests/launch/compare/recorded_sweep.hpp"

using namespace crescendo::tests;

TEST_CASE("status shows the progress of a sweep that is not running") {
    const OldSweep sweep;

    const auto status = sweep.run({"status", "s", "--format", "json"}).json();

    CHECK(status.at("name") == "old");
    CHECK(status.at("state") == "stopped");
    CHECK(status.at("trials").at("begun") == 2);
    CHECK(status.at("best").at("trial") == 0);
    CHECK(status.at("best").at("loss") == 0.6);
    CHECK(status.at("limits").at("run_cap") == 4);
    CHECK(status.at("sampler") == "random");
}

TEST_CASE("status prints the same words as a table for people or for a spreadsheet") {
    const OldSweep sweep;

    const auto table = sweep.run({"status", "s"}).out;
    CHECK(contains(table, "stopped"));
    CHECK(contains(table, "  1 at 3\n"));
    CHECK_FALSE(contains(table, "idle_cost"));  // it is unknown
    const auto csv = sweep.run({"status", "s", "--format", "csv"}).out;
    CHECK(csv.starts_with("what,value\n"));
    CHECK(contains(csv, "\nidle_cost,\n"));
    CHECK(contains(csv, "\nstate,stopped\n"));
    CHECK(contains(csv, "begun 2, running 0, waiting 1"));
}

TEST_CASE("status counts configurations at a rung if trials are repetitions") {
    const TemporaryFolder folder;
    auto file = two_trials(1, "repeat: 2\n");
    file.replace(file.find("type: fifo"), std::string("type: fifo").size(), "type: asha");
    record_sweep(folder / "s", file, {{1, 0, 1, 0.7}, {2, 1, 1, 0.6}});

    const auto status = run_crescendo(folder.path(), {"status", "s", "--format", "json"}).json();

    CHECK(status.at("rungs").at(0) == Json{{"at", 1}, {"configurations", 1}});
    CHECK(contains(run_crescendo(folder.path(), {"status", "s"}).out, "  1 at 1, 0 at 3"));
}

TEST_CASE("status shows only a few of very many notes on a screen, but gives programs all of them") {
    const OldSweep sweep;
    auto journal = crescendo::launch::Journal::open(sweep.folder / "s/journal.jsonl");
    for (int i = 0; i < 2000; ++i) {
        journal.append({{"note", "remark"}, {"text", "new data"}, {"time", 1795342768.0}});
    }
    journal.sync();

    CHECK(count(sweep.run({"status", "s"}).out, "new data") == 8);
    CHECK(contains(sweep.run({"status", "s"}).out, "; new data, and 1992 more\n"));
    CHECK(count(sweep.run({"status", "s", "--format", "csv"}).out, "new data") == 2000);
    CHECK(sweep.run({"status", "s", "--format", "json"}).json().at("notes").size() == 2000);
}

TEST_CASE("status says how much time a sweep used and how much was idle, in money if there is a price") {
    const OldSweep sweep;

    const auto free = sweep.run({"status", "s", "--format", "json"}).json();
    const auto priced = sweep.run({"status", "s", "--price", "slot_hour=3600000", "--format", "json"}).json();

    CHECK(free.at("slot_hours") > 0.0);
    CHECK(free.at("idle_slot_hours") >= 0.0);
    CHECK(free.at("cost").is_null());
    CHECK(priced.at("cost").get<double>() == doctest::Approx(3600000 * free.at("slot_hours").get<double>()));
    CHECK(priced.at("idle_cost").get<double>() == doctest::Approx(3600000 * free.at("idle_slot_hours").get<double>()));
    const auto refused = sweep.run({"status", "s", "--price", "0.9"});
    CHECK(refused.code == 2);
    CHECK(contains(refused.err, "--price 0.9: is not a price; write slot_hour=0.90 or node_hour=24.48"));
}

TEST_CASE("status says why the last trial failed") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "echo no such file >&2; exit 3");
    run_crescendo(folder.path(), {"run", "sweep.yaml"});

    const auto status = run_crescendo(folder.path(), {"status", "s", "--format", "json"}).json();

    CHECK(contains(status.at("last_failure"), "exit status 3; last words: no such file"));
    CHECK_FALSE(OldSweep().run({"status", "s", "--format", "json"}).json().contains("last_failure"));
}

TEST_CASE("a price that is added to the sweep file after the end of the sweep counts") {
    const OldSweep sweep;
    std::ofstream(sweep.folder / "s/sweep.yaml", std::ios::app) << "price: {slot_hour: 2}\n";

    const auto status = sweep.run({"status", "s", "--format", "json"}).json();

    CHECK(status.at("cost").get<double>() == doctest::Approx(2 * status.at("slot_hours").get<double>()));
}

TEST_CASE("status of a sweep whose job is queued names the job and a command that shows why it waits") {
    const PlayedSlurm slurm;
    const OldSweep sweep;
    sweep.note_job("17");
    slurm.answer("squeue", "echo PENDING");

    const auto status = sweep.run({"status", "s", "--format", "json"}).json();

    CHECK(status.at("state") == "queued");
    CHECK(status.at("job") == "17");
    CHECK(status.at("hint") == "`squeue --jobs=17` shows what the job is waiting for");
}

TEST_CASE("status of a stopped sweep says what continues it and which log shows why it stopped") {
    const PlayedSlurm slurm;
    const OldSweep sweep;
    const auto hint = [&] { return sweep.run({"status", "s", "--format", "json"}).json().at("hint"); };
    CHECK(hint() == "`crescendo resume s` continues it");

    sweep.note_job("17");
    slurm.answer("squeue", "true");
    std::ofstream(sweep.folder / "s/job-17.log") << "preempted\n";

    CHECK(hint() == "`crescendo submit s` continues it; s/job-17.log shows why it stopped");
}

TEST_CASE("status does not say that a sweep has stopped if Slurm does not answer about its job") {
    const PlayedSlurm slurm;
    const OldSweep sweep;
    sweep.note_job("17");
    slurm.answer("squeue", "exit 1");

    const auto status = sweep.run({"status", "s", "--format", "json"}).json();

    CHECK(status.at("state") == "unknown");
    CHECK(contains(status.at("hint"), "check with `squeue --jobs=17`"));
}
