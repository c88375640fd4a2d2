#include "tests/launch/commands/sweep_file.hpp"

using namespace crescendo::tests;

TEST_CASE("run makes a directory of the sweep's name, or the one that was asked for") {
    const TemporaryFolder folder;
    write_sweep(folder.path());

    CHECK(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);
    CHECK(run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", "there"}).code == 0);

    CHECK(fs::exists(folder / "s/journal.jsonl"));
    CHECK(fs::exists(folder / "there/journal.jsonl"));
}

TEST_CASE("run begins no second sweep in a directory, and says how to go on with the first") {
    const TemporaryFolder folder;
    write_sweep(folder.path());
    run_crescendo(folder.path(), {"run", "sweep.yaml"});

    const auto again = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(again.code == 2);
    CHECK(again.err.find("`crescendo resume s` continues it") != std::string::npos);
}

TEST_CASE("the commands that run prints can be copied, whatever the directory's name") {
    const TemporaryFolder folder;
    write_sweep(folder.path());

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", "two words"});

    CHECK_MESSAGE(run.out.find("crescendo trials 'two words'") != std::string::npos, run.out);
}
