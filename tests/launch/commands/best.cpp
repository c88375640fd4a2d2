#include "tests/launch/commands/old_sweep.hpp"
#include "tests/launch/commands/sweep_file.hpp"

using namespace crescendo::tests;

TEST_CASE("best exits with 1 if there is no best trial, so that a script notices") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "exit 3");
    run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run_crescendo(folder.path(), {"best", "s"}).code == 1);
    const auto json = run_crescendo(folder.path(), {"best", "s", "--format", "json"});
    CHECK(json.code == 1);
    CHECK(json.json().is_null());
}

TEST_CASE("best prints the trial with the best metric and its configuration") {
    const OldSweep sweep;

    const auto best = sweep.run({"best", "s", "--format", "json"}).json();

    CHECK(best.at("trial") == 0);
    CHECK(best.at("metrics").at("loss") == 0.6);
    CHECK(best.at("config").at("c") == "y");
    CHECK(best.at("slot_hours") > 0.0);
    CHECK(best.at("cost").is_null());
    CHECK(best.at("checkpoint").is_null());
    CHECK(best.at("folder") == "s/trials/000000");
    CHECK_FALSE(contains(sweep.run({"best", "s"}).out, "folder"));  // there is nothing in it
    write_file(sweep.folder / "s/trials/000000/model.pt", "weights");
    CHECK(contains(sweep.run({"best", "s"}).out, "s/trials/000000\n"));
}
