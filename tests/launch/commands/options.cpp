#include "tests/launch/commands/old_sweep.hpp"

using namespace crescendo::tests;

TEST_CASE("a command about a sweep needs the sweep's directory") {
    const OldSweep sweep;

    for (const char* verb : {"status", "trials", "best", "top", "stop", "resume"}) {
        CAPTURE(verb);
        CHECK(sweep.run({verb}).code == 2);
        const auto nowhere = sweep.run({verb, "nowhere"});
        CHECK(nowhere.code == 2);
        CHECK(contains(nowhere.err, "nowhere: no such directory"));
    }
}

TEST_CASE("an unknown format is refused with a list of the known ones") {
    const OldSweep sweep;

    const auto result = sweep.run({"trials", "s", "--format", "xml"});

    CHECK(result.code == 2);
    CHECK(contains(result.err, "xml is not one of {table,json,csv}"));
}

TEST_CASE("help prints the same as the option --help") {
    const TemporaryFolder folder;
    const auto out = [&](const std::vector<std::string>& words) {
        const auto run = run_crescendo(folder.path(), words);
        CHECK(run.code == 0);
        return run.out;
    };

    CHECK(out({"help"}) == out({"--help"}));
    CHECK(out({"help", "run"}) == out({"run", "--help"}));
    CHECK(out({"help", "data", "convert"}) == out({"data", "convert", "--help"}));
    CHECK(
        contains(run_crescendo(folder.path(), {"help", "rum"}).err, "'rum' is an unknown command (did you mean 'run"));
}
