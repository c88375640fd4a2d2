/// on_finish and on_failure, with the real binary.

#include <cstdlib>

#include "tests/launch/commands/old_sweep.hpp"
#include "tests/launch/commands/sweep_file.hpp"
#include "tests/variable.hpp"

using namespace crescendo::tests;

namespace {

constexpr const char* fails = "echo 'no such file' >&2; exit 3";

/// A sweep with these lines in its file, and without the site profile of this machine.
struct HookedSweep {
    explicit HookedSweep(const std::string& lines, const char* train = nullptr, const std::string& site = "") {
        train == nullptr ? write_sweep(folder.path()) : write_sweep(folder.path(), train);
        write_file(folder / "sweep.yaml", content_of(folder / "sweep.yaml") + lines);
        write_file(folder / "site.yaml", site);
    }

    Result run(const std::string& verb = "run", const std::string& of = "sweep.yaml") const {
        return run_crescendo(folder.path(), {verb, of});
    }
    std::string told() const { return content_of(folder / "told"); }

    TemporaryFolder folder;
    Variable site_profile{"CRESCENDO_SITE", folder / "site.yaml"};
};

}  // namespace

TEST_CASE("on_finish runs without a shell when the sweep is done, with the results in its environment") {
    const HookedSweep sweep(
        "on_finish: [bash, -c, 'env | grep ^CRESCENDO_ > told; echo \"[$0]\" >> told', '$(touch shell) *']\n"
        "on_failure: [touch, failure]\nprice: {slot_hour: 3600}\n");

    const auto result = sweep.run();

    CHECK(result.code == 0);
    CHECK_FALSE(contains(result.err, "on_finish"));
    const auto told = sweep.told();
    for (const auto* line :
         {"CRESCENDO_SWEEP=s\n", "CRESCENDO_OUTCOME=finished\n", "CRESCENDO_REASON=all trials are done\n",
          "CRESCENDO_EXIT_CODE=0\n", "CRESCENDO_TRIALS=2\n", "CRESCENDO_FAILED_TRIALS=0\n", "CRESCENDO_METRIC=loss\n",
          "CRESCENDO_BEST_TRIAL=0\n", "CRESCENDO_BEST_VALUE=0.5\n", "CRESCENDO_BEST_CONFIG={\"x\":", "CRESCENDO_COST=",
          "[$(touch shell) *]\n"}) {
        CHECK_MESSAGE(contains(told, line), line);
    }
    CHECK(contains(told, "CRESCENDO_SWEEP_DIR=" + (sweep.folder / "s").string() + "\n"));
    CHECK_FALSE(contains(told, "CRESCENDO_FD"));  // otherwise a program that trains would wait for answers
    CHECK_FALSE(fs::exists(sweep.folder / "failure"));
    CHECK_FALSE(fs::exists(sweep.folder / "shell"));
}

TEST_CASE("a hook belongs to the batch job but to none of its steps, so it can continue the sweep") {
    const HookedSweep sweep("on_finish: [bash, -c, 'env > told']\n");
    const Variable job("SLURM_JOB_ID", "17");
    const Variable tasks("SLURM_STEP_NUM_TASKS", "1");
    const Variable rank("SLURM_PROCID", "0");

    const auto result = sweep.run();

    REQUIRE(result.code == 0);
    CHECK(contains(sweep.told(), "SLURM_JOB_ID=17\n"));
    CHECK_FALSE(contains(sweep.told(), "SLURM_STEP"));
    CHECK_FALSE(contains(sweep.told(), "SLURM_PROCID"));
}

TEST_CASE("on_failure runs when every trial has failed, and its environment says why") {
    const HookedSweep sweep("on_finish: [touch, finish]\non_failure: [bash, -c, 'env > told']\n", fails);

    CHECK(sweep.run().code == 1);

    CHECK(contains(sweep.told(), "CRESCENDO_OUTCOME=failed\n"));
    CHECK(contains(sweep.told(), "CRESCENDO_EXIT_CODE=1\n"));
    CHECK(contains(sweep.told(), "no such file"));
    CHECK_FALSE(contains(sweep.told(), "CRESCENDO_BEST_TRIAL"));
    CHECK_FALSE(fs::exists(sweep.folder / "finish"));
}

TEST_CASE("a session that stops early runs no hook, but the one that ends the sweep does") {
    const HookedSweep sweep("on_finish: [touch, told]\non_failure: [touch, told]\n");

    CHECK(run_crescendo(sweep.folder.path(), {"run", "sweep.yaml", "--until", "1"}).code == 75);
    CHECK_FALSE(fs::exists(sweep.folder / "told"));
    CHECK(sweep.run("resume", "s").code == 0);
    CHECK(fs::exists(sweep.folder / "told"));
    fs::remove(sweep.folder / "told");
    CHECK(sweep.run("resume", "s").code == 0);  // nothing was left to do
    CHECK_FALSE(fs::exists(sweep.folder / "told"));
}

TEST_CASE("a hook that fails causes a warning but does not change the sweep's result and exit code") {
    const HookedSweep sweep("on_finish: [bash, -c, 'echo last words; exit 7']\n");

    const auto result = sweep.run();

    CHECK(result.code == 0);
    CHECK(contains(result.out, "finished: all trials are done"));
    CHECK(contains(result.err, "warning: on_finish: `bash`: exit status 7; its output is in s/hooks.log"));
    CHECK(content_of(sweep.folder / "s" / "hooks.log") == "last words\n");
}

TEST_CASE("warnings that cannot be written do not change the exit code") {
    // A finished sweep used to exit with 75, the code for a full disk.
    const HookedSweep sweep(
        "on_finish: ['false']\n");  // the file causes a warning, too: no parameter is in its command

    const auto line = "cd " + sweep.folder.path().string() + " && " CRESCENDO_BINARY " run sweep.yaml >out 2>/dev/full";

    CHECK(std::system(line.c_str()) == 0);
    CHECK(contains(content_of(sweep.folder / "out"), "finished: all trials are done"));
}

TEST_CASE("a hook that hangs is killed with its processes and does not change the sweep's exit code") {
    const HookedSweep sweep("on_failure: [bash, -c, 'sleep 1000 & wait']\n", fails);
    const Variable timeout("CRESCENDO_HOOK_TIMEOUT", "1");

    const auto result = sweep.run();

    CHECK(result.code == 1);
    CHECK(contains(result.err, "on_failure: `bash`: killed after 1 s; to allow more, set CRESCENDO_HOOK_TIMEOUT"));
    await("what it started is gone", [&] { return processes_in(sweep.folder.path()).empty(); });
}

TEST_CASE("the site profile's hook runs if the sweep has none, and mistakes in it cause a warning") {
    const HookedSweep of_site("", nullptr, "on_finish: [touch, of-site]\n");
    CHECK(of_site.run().code == 0);
    CHECK(fs::exists(of_site.folder / "of-site"));

    const HookedSweep of_both("on_finish: [touch, of-sweep]\n", nullptr, "on_finish: [touch, of-site]\n");
    CHECK(of_both.run().code == 0);
    CHECK(fs::exists(of_both.folder / "of-sweep"));
    CHECK_FALSE(fs::exists(of_both.folder / "of-site"));

    const HookedSweep mistaken("", nullptr, "on_finish: mail\n");
    const auto result = mistaken.run();
    CHECK(result.code == 0);
    CHECK(contains(result.err, "site.yaml:1:1: on_finish"));
}

TEST_CASE("a hook may continue the sweep that has just ended") {
    const HookedSweep sweep("on_finish: [bash, -c, '" CRESCENDO_BINARY
                            " resume \"$CRESCENDO_SWEEP_DIR\" --run-cap 3 >> told 2>&1']\n");
    const Variable timeout("CRESCENDO_HOOK_TIMEOUT", "60");

    CHECK(sweep.run().code == 0);

    CHECK(contains(sweep.told(), "finished: all trials are done, 3 trials in "));
}

TEST_CASE("hooks may be added to the file of a sweep that has begun") {
    const HookedSweep sweep("");
    CHECK(run_crescendo(sweep.folder.path(), {"run", "sweep.yaml", "--until", "1"}).code == 75);
    write_file(sweep.folder / "s" / "sweep.yaml",
               content_of(sweep.folder / "s" / "sweep.yaml") + "on_finish: [touch, told]\n");

    CHECK(sweep.run("resume", "s").code == 0);

    CHECK(fs::exists(sweep.folder / "told"));
}
