#include "tests/launch/commands/sweep_file.hpp"

using namespace crescendo::tests;

TEST_CASE("resume of a finished sweep says once more how it ended, and trains nothing") {
    const TemporaryFolder folder;
    write_sweep(folder.path());
    run_crescendo(folder.path(), {"run", "sweep.yaml"});
    const auto before = content_of(folder / "s/journal.jsonl");

    const auto again = run_crescendo(folder.path(), {"resume", "s"});

    CHECK(again.code == 0);
    CHECK(again.out.find("finished: ") != std::string::npos);
    CHECK(content_of(folder / "s/journal.jsonl") == before);
}

TEST_CASE("resume refuses limits that leave nothing to do, and extends a sweep with more trials") {
    const TemporaryFolder folder;
    write_sweep(folder.path());
    run_crescendo(folder.path(), {"run", "sweep.yaml"});

    const auto fewer = run_crescendo(folder.path(), {"resume", "s", "--run-cap", "1"});
    CHECK(fewer.code == 2);
    CHECK(fewer.err.find("nothing is left to do") != std::string::npos);

    CHECK(run_crescendo(folder.path(), {"resume", "s", "--run-cap", "3"}).code == 0);
    CHECK(run_crescendo(folder.path(), {"trials", "s", "--format", "json"}).json().size() == 3);
}
