#include "tests/launch/commands/sweep_file.hpp"

using namespace crescendo::tests;

namespace {

/// A sweep of two trials, each of which prints two lines, the second without an end.
struct Printed {
    Printed() {
        write_sweep(folder.path(), "echo hello from $CRESCENDO_TRIAL; printf 'the end'\n"
                                   "echo '{\"resource\": 1, \"metrics\": {\"loss\": 0.5}}' >&$CRESCENDO_FD");
        REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);
    }
    Result logs(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"logs", "s"});
        return run_crescendo(folder.path(), arguments);
    }

    TemporaryFolder folder;
};

}  // namespace

TEST_CASE("logs shows what a trial printed, or all trials with their numbers") {
    const Printed sweep;

    CHECK(sweep.logs({"1"}).out == "hello from 1\nthe end\n");
    CHECK(sweep.logs({"1", "-n", "1"}).out == "the end\n");
    CHECK(sweep.logs({}).out.starts_with("0: hello from 0\n0: the end\n1: hello from 1\n1: the end\n"));
    CHECK(sweep.logs({"-f"}).out == sweep.logs({}).out);  // nobody works on it: there is nothing to wait for
}

TEST_CASE("logs refuses trials that have not started") {
    const Printed sweep;
    const auto result = sweep.logs({"2"});
    CHECK(result.code == 2);
    CHECK(result.err.find("trial 2 has not started: the sweep has started 2 trials") != std::string::npos);
}

TEST_CASE("logs -f shows lines as they come, and ends with its trial") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "echo first; while [ ! -e go ]; do sleep 0.05; done; echo last\n"
                               "echo '{\"resource\": 1, \"metrics\": {\"loss\": 0.5}}' >&$CRESCENDO_FD");
    Command run(folder.path(), {"run", "sweep.yaml"});
    await("the trial prints", [&] { return content_of(folder / "s/trials/000000/trainer.log") == "first\n"; });

    Command one(folder.path(), {"logs", "s", "0", "-f"});
    Command all(folder.path(), {"logs", "s", "-f"});
    await("its line is shown", [&] { return one.out() == "first\n" && all.out() == "0: first\n"; });
    write_file(folder / "go", "");

    CHECK(one.wait() == 0);
    CHECK(one.out() == "first\nlast\n");
    CHECK(run.wait() == 0);
    CHECK(all.wait() == 0);
    CHECK(all.out().starts_with("0: first\n0: last\n"));
}
