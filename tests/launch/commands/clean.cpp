#include "tests/e2e/leaving_sweep.hpp"
#include "tests/e2e/small_disk.hpp"

using namespace crescendo::tests;

TEST_CASE("clean removes files of a sweep that kept everything, and a dry run only counts them") {
    const TemporaryFolder folder;
    write_leaving_sweep(folder.path(), "parameters: {x: {values: [1, 2, 3, 8]}}\nscheduler: {type: fifo, max: 2}\n");
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);

    const auto unsaid = run_crescendo(folder.path(), {"clean", "s"});
    CHECK(unsaid.code == 2);
    CHECK_MESSAGE(unsaid.err.find("crescendo clean s --programs best") != std::string::npos, unsaid.err);
    const auto asked = run_crescendo(folder.path(), {"clean", "s", "--programs", "best", "--dry-run"});
    CHECK_MESSAGE(asked.out.starts_with("would remove 8 files of 2 trials: "), asked.out);
    CHECK(files_by_x(folder.path()).at(3) == all_files);
    const auto cleaned = run_crescendo(folder.path(), {"clean", "s", "--programs", "best"});

    CHECK_MESSAGE(cleaned.out.starts_with("removed 8 files of 2 trials: "), cleaned.out);
    CHECK(cleaned.out.find("the files of 1 failed trial stayed") != std::string::npos);
    const auto files = files_by_x(folder.path());
    CHECK(files.at(1) == all_files);
    CHECK(files.at(2) == records);
    CHECK(files.at(3) == records);
    CHECK(files.at(8) == all_files);
    CHECK(run_crescendo(folder.path(), {"clean", "s", "--programs", "best"}).out.starts_with("nothing to remove\n"));
    CHECK(run_crescendo(folder.path(), {"status", "s"}).code == 0);
}

TEST_CASE("clean refuses a running sweep, but a dry run works") {
    const TemporaryFolder folder;
    write_leaving_sweep(folder.path(),
                        "parameters: {x: {values: [1, 2, 3]}}\nscheduler: {type: fifo, max: 100}\n", "0.05");
    Command run(folder.path(), {"run", "sweep.yaml"});
    await("a report", [&] { return fs::exists(folder / "began"); });

    const auto cleaned = run_crescendo(folder.path(), {"clean", "s", "--programs", "best"});
    const auto asked = run_crescendo(folder.path(), {"clean", "s", "--programs", "best", "--dry-run"});

    CHECK(cleaned.code == 2);
    CHECK(cleaned.err.find("process") != std::string::npos);
    CHECK(asked.code == 0);
    CHECK(asked.out.starts_with("nothing to remove"));
    run.signal(SIGINT);
    CHECK(run.wait() == 75);
}

TEST_CASE("clean works on a full disk, to make room there") {
    const SmallDisk disk("size=1m");
    if (!disk) {
        return;
    }
    write_leaving_sweep(disk.path(), "parameters: {x: {values: [1, 2, 3, 8]}}\nscheduler: {type: fifo, max: 2}\n");
    REQUIRE(run_crescendo(disk.path(), {"run", "sweep.yaml"}).code == 0);
    disk.fill();

    const auto cleaned = run_crescendo(disk.path(), {"clean", "s", "--programs", "best"});

    CHECK_MESSAGE(cleaned.code == 0, cleaned.err);
    CHECK_MESSAGE(cleaned.out.starts_with("removed 8 files of 2 trials: "), cleaned.out);
}
