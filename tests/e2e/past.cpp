/// The past of a sweep does not change: edited files, extended sweeps, and failed trials that are retried.

#include <doctest/doctest.h>

#include <map>

#include "tests/contains.hpp"
#include "tests/e2e/command.hpp"

using namespace crescendo::tests;

namespace {

/// A trial with three reports. If the file "broken" exists, trials other than 0 fail; if "hold" exists, trial 1 waits
/// after its first report until it is asked to leave.
const std::string breaking_program = R"(
[ $CRESCENDO_TRIAL != 0 ] && [ -e broken ] && exit 9
for r in 1 2 3; do
  [ $CRESCENDO_TRIAL$r = 12 ] && [ -e hold ] && { read -r reply <&$CRESCENDO_FD; exit 0; }
  echo "{\"resource\": $r, \"metrics\": {\"loss\": 0.$((9 - r))}}" >&$CRESCENDO_FD
  read -r reply <&$CRESCENDO_FD || exit 0
  [[ $reply == *stop* ]] && exit 0
done
)";

const std::string sweep_of_two = R"(name: s
metric: {name: loss}
run_cap: 2
max_retries: 0
slots: 1
parameters:
  a: {min: 0.0, max: 100.0}
  b: {values: [x, y]}
scheduler: {type: fifo, max: 3}
command: [bash, train.sh, "${args}"]
)";

void write_two_trials(const fs::path& folder, const std::string& text = sweep_of_two) {
    write_file(folder / "train.sh", breaking_program);
    write_file(folder / "sweep.yaml", text);
}

void replace_in(const fs::path& path, const std::string& what, const std::string& by) {
    auto text = content_of(path);
    REQUIRE(text.find(what) != std::string::npos);
    write_file(path, text.replace(text.find(what), what.size(), by));
}

Json json_of(const fs::path& folder, const std::string& verb) {
    return run_crescendo(folder, {verb, "s", "--format", "json"}).json();
}

/// Trial → its parameters as the command shows them.
std::map<int, std::string> parameters_of(const fs::path& folder) {
    std::map<int, std::string> result;
    for (const auto& row : json_of(folder, "trials")) {
        result[row.at("trial")] = row.at("a").dump() + row.at("b").dump();
    }
    return result;
}

}  // namespace

TEST_CASE("a sweep can be read in a folder whose name is not UTF-8") {
    const TemporaryFolder folder;
    write_two_trials(folder.path());
    const std::string name = "s\xff\xfe";
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", name}).code == 0);

    for (const auto& command : {std::vector<std::string>{"status", name, "--format", "json"},
                                {"trial", name, "1", "--format", "json"},
                                {"best", name, "--format", "json"},
                                {"report", name}}) {
        CAPTURE(command[0]);
        const auto result = run_crescendo(folder.path(), command);

        CHECK_MESSAGE(result.code == 0, result.err);
    }
}

TEST_CASE("every command refuses a changed sweep file, and names the file, the line and the key") {
    const TemporaryFolder folder;
    write_two_trials(folder.path());
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);
    const auto best = json_of(folder.path(), "best");
    replace_in(folder / "s/sweep.yaml", "max: 100.0", "max: 200.0");

    for (const std::vector<std::string>& line : {std::vector<std::string>{"best", "s"},
                                                 {"trials", "s"},
                                                 {"status", "s"},
                                                 {"top", "s"},
                                                 {"resume", "s"},
                                                 {"resume", "s", "--run-cap", "4"},
                                                 {"simulate", "--replay", "s"},
                                                 {"submit", "s"}}) {
        CAPTURE(line.front());
        const auto result = run_crescendo(folder.path(), line);
        CHECK(result.code == 2);
        CHECK(contains(result.err, "s/sweep.yaml:7:"));
        CHECK(contains(result.err, "parameters.a.max: is 200.0 now but was 100.0 when the sweep began"));
    }
    CHECK(run_crescendo(folder.path(), {"stop", "s"}).code == 0);  // safe, whatever the file says

    replace_in(folder / "s/sweep.yaml", "max: 200.0}", "max: 1e2}   # as it was");
    CHECK(json_of(folder.path(), "best") == best);
}

TEST_CASE("--run-cap extends a finished sweep, and its earlier trials stay as they were") {
    const TemporaryFolder folder;
    write_two_trials(folder.path());
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);
    const auto before = parameters_of(folder.path());

    const auto resumed = run_crescendo(folder.path(), {"resume", "s", "--run-cap", "4"});

    REQUIRE_MESSAGE(resumed.code == 0, resumed.err);
    const auto after = parameters_of(folder.path());
    CHECK(after.size() == 4);
    CHECK(after.at(0) == before.at(0));
    CHECK(after.at(1) == before.at(1));
    CHECK(num_reports(folder / "s") == 12);
    CHECK(json_of(folder.path(), "status").at("limits").at("run_cap") == 4);
    CHECK(contains(content_of(folder / "s/sweep.yaml"), "run_cap: 2"));  // the file is the user's
    CHECK(run_crescendo(folder.path(), {"resume", "s"}).code == 0);
    CHECK(num_reports(folder / "s") == 12);
    const auto replayed = run_crescendo(folder.path(), {"simulate", "--replay", "s", "--format", "json"});
    CHECK_MESSAGE(replayed.code == 0, replayed.err);
    CHECK(replayed.json().at("differences") == 0);
    CHECK(replayed.json().at("trials") == 4);
}

TEST_CASE("resume takes up edited keys that may change, and the last change counts") {
    const TemporaryFolder folder;
    write_two_trials(folder.path());
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);
    replace_in(folder / "s/sweep.yaml", "run_cap: 2", "run_cap: 3");

    CHECK(json_of(folder.path(), "status").at("limits").at("run_cap") == 2);  // not taken up yet
    CHECK(run_crescendo(folder.path(), {"resume", "s"}).code == 0);
    CHECK(json_of(folder.path(), "status").at("limits").at("run_cap") == 3);
    CHECK(json_of(folder.path(), "trials").size() == 3);
    CHECK(run_crescendo(folder.path(), {"resume", "s", "--set", "run_cap=5", "--set", "hang_timeout=1h"}).code == 0);
    CHECK(run_crescendo(folder.path(), {"resume", "s"}).code == 0);  // the file still says 3, which is not a new edit
    CHECK(json_of(folder.path(), "status").at("limits").at("run_cap") == 5);
    CHECK(json_of(folder.path(), "status").at("limits").at("hang_timeout") == "1h");
    CHECK(json_of(folder.path(), "trials").size() == 5);
}

TEST_CASE("options that cannot be set, or leave nothing to do, are refused, and nothing is written") {
    const TemporaryFolder folder;
    write_two_trials(folder.path());
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);
    const auto journal = content_of(folder / "s/journal.jsonl");
    const std::vector<std::pair<std::vector<std::string>, std::string>> bad{
        {{"--set", "parameters.a.max=200"}, "parameters.a.max cannot be set"},
        {{"--set", "runcap=9"}, "did you mean 'run_cap'?"},
        {{"--set", "run_cap=many"}, "run_cap: 'many' is text"},
        {{"--set", "run_cap=null"}, "nothing ends this sweep"},
        {{"--run-cap", "1"}, "these limits leave nothing to do: 2 trials have started, and run_cap is 1"},
        {{"--run-cap", "0"}, "--run-cap"},
        {{"--retry-failed"}, "no trial has failed"},
    };

    for (const auto& [options, message] : bad) {
        CAPTURE(message);
        std::vector<std::string> line{"resume", "s"};
        line.insert(line.end(), options.begin(), options.end());
        const auto result = run_crescendo(folder.path(), line);
        CHECK(result.code == 2);
        CHECK_MESSAGE(contains(result.err, message), result.err);
    }
    CHECK(content_of(folder / "s/journal.jsonl") == journal);
}

TEST_CASE("a smaller run_cap ends a stopped sweep after the trials that had begun") {
    const TemporaryFolder folder;
    write_two_trials(folder.path());
    replace_in(folder / "sweep.yaml", "run_cap: 2", "run_cap: 9");
    write_file(folder / "hold", "");
    Command run(folder.path(), {"run", "sweep.yaml"});
    await("trial 1 reports", [&] { return num_reports(folder / "s") == 4; });
    run.signal(SIGTERM);
    CHECK(run.wait() == 75);
    fs::remove(folder / "hold");

    CHECK(run_crescendo(folder.path(), {"resume", "s", "--run-cap", "1"}).code == 0);  // trial 1 had begun, so it ends

    CHECK(json_of(folder.path(), "status").at("state") == "finished");
    CHECK(json_of(folder.path(), "trials").size() == 2);
}

TEST_CASE("a sweep whose time budget was used up continues with more time") {
    const TemporaryFolder folder;
    write_two_trials(folder.path(), sweep_of_two + "budget: {time: 1h}\n");
    write_file(folder / "hold", "");
    Command run(folder.path(), {"run", "sweep.yaml"});
    await("trial 1 reports", [&] { return num_reports(folder / "s") == 4; });
    REQUIRE(run_crescendo(folder.path(), {"set", "s", "budget.time=1s"}).code == 0);
    REQUIRE(run.wait() == 0);
    fs::remove(folder / "hold");
    CHECK(json_of(folder.path(), "status").at("reason") == "the time budget is used up");

    CHECK(run_crescendo(folder.path(), {"resume", "s", "--run-cap", "3"}).code == 2);  // no time is left
    CHECK(run_crescendo(folder.path(), {"resume", "s", "--run-cap", "3", "--set", "budget.time=1h"}).code == 0);
    const auto trials = json_of(folder.path(), "trials");
    REQUIRE(trials.size() == 3);
    CHECK(trials[1].at("status") == "stopped");
    CHECK(trials[2].at("status") == "finished");
}

TEST_CASE("an extended sweep that was killed is still extended when it is resumed") {
    const TemporaryFolder folder;
    write_two_trials(folder.path());
    replace_in(folder / "sweep.yaml", "run_cap: 2", "run_cap: 1");
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);
    write_file(folder / "hold", "");
    {
        const Command resumed(folder.path(), {"resume", "s", "--run-cap", "3"});  // killed at the end of its scope
        await("trial 1 reports", [&] { return num_reports(folder / "s") == 4; });
    }
    const auto before = parameters_of(folder.path());
    fs::remove(folder / "hold");

    const auto resumed = run_crescendo(folder.path(), {"resume", "s"});

    REQUIRE_MESSAGE(resumed.code == 0, resumed.err);
    const auto after = parameters_of(folder.path());
    CHECK(after.size() == 3);
    CHECK(after.at(1) == before.at(1));
}

TEST_CASE("the unfinished trial of a stopped sweep is waiting, not running") {
    const TemporaryFolder folder;
    write_two_trials(folder.path());
    write_file(folder / "hold", "");
    Command run(folder.path(), {"run", "sweep.yaml"});
    await("trial 1 reports", [&] { return num_reports(folder / "s") == 4; });
    CHECK(json_of(folder.path(), "status").at("trials").at("running") == 1);
    run.signal(SIGTERM);
    CHECK(run.wait() == 75);

    const auto status = json_of(folder.path(), "status");

    CHECK(status.at("state") == "stopped");
    CHECK(status.at("trials").at("running") == 0);
    CHECK(status.at("trials").at("waiting") == 1);
    CHECK(json_of(folder.path(), "trials")[1].at("status") == "waiting");
    CHECK(contains(run_crescendo(folder.path(), {"top", "s"}).out, "0 running, 1 waiting"));
}

TEST_CASE("--retry-failed retries failed trials once the cause is fixed") {
    const TemporaryFolder folder;
    write_two_trials(folder.path());
    replace_in(folder / "sweep.yaml", "run_cap: 2", "run_cap: 3");
    write_file(folder / "broken", "");
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);  // trial 0 succeeds
    CHECK(json_of(folder.path(), "status").at("trials").at("failed") == 2);
    const auto before = parameters_of(folder.path());
    fs::remove(folder / "broken");

    const auto resumed = run_crescendo(folder.path(), {"resume", "s", "--retry-failed"});

    REQUIRE_MESSAGE(resumed.code == 0, resumed.err);
    CHECK(json_of(folder.path(), "status").at("trials").at("failed") == 0);
    CHECK(json_of(folder.path(), "status").at("trials").at("finished") == 3);
    CHECK(parameters_of(folder.path()) == before);
    CHECK(json_of(folder.path(), "trials")[1].at("failures") == 1);
}

TEST_CASE("a sweep that was given up says how to retry its trials, and retries them") {
    const TemporaryFolder folder;
    write_two_trials(folder.path());
    replace_in(folder / "sweep.yaml", "run_cap: 2", "run_cap: 9");
    write_file(folder / "train.sh", "[ -e broken ] && exit 9\n" + breaking_program);
    write_file(folder / "broken", "");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 1);
    CHECK(contains(run.out, "giving up: "));
    CHECK(contains(run.out, "crescendo resume s --retry-failed"));
    CHECK(json_of(folder.path(), "status").at("trials").at("running") == 0);
    fs::remove(folder / "broken");
    CHECK(run_crescendo(folder.path(), {"resume", "s", "--retry-failed"}).code == 0);
    CHECK(json_of(folder.path(), "status").at("trials").at("finished") == 9);
}

TEST_CASE("a sweep of an older crescendo is resumed with a note, and is as safe as any other from then on") {
    const TemporaryFolder folder;
    fs::copy(CRESCENDO_OLD_SWEEP, folder / "s", fs::copy_options::recursive);
    fs::rename(folder / "s/train.sh", folder / "train.sh");
    const auto params = Json::parse(content_of(folder / "s/trials/000000/params.json"));
    CHECK(json_of(folder.path(), "status").at("state") == "stopped");

    const auto resumed = run_crescendo(folder.path(), {"resume", "s"});

    REQUIRE_MESSAGE(resumed.code == 0, resumed.err);
    CHECK(contains(resumed.out, "an older version of crescendo began this sweep"));
    const auto trials = json_of(folder.path(), "trials");
    CHECK(trials.size() == 4);
    CHECK(trials[0].at("a") == params.at("a"));
    CHECK(trials[0].at("c") == params.at("c"));
    CHECK_FALSE(contains(run_crescendo(folder.path(), {"resume", "s", "--run-cap", "5"}).out, "an older"));
    CHECK(json_of(folder.path(), "trials").size() == 5);
    replace_in(folder / "s/sweep.yaml", "max: 1.0", "max: 2.0");
    CHECK(run_crescendo(folder.path(), {"best", "s"}).code == 2);
}

TEST_CASE("trials of an older journal, whose failures suspect no slot, stay on the slots where they were") {
    const TemporaryFolder folder;
    fs::copy(fs::path(CRESCENDO_OLD_SWEEP).parent_path() / "old-failures", folder / "s");

    // Slot 1 was free, and trial 0 got slot 0 again. If it were on slot 1 now, its second failure, which was on slot 0,
    // would not be its own.
    const auto trials = json_of(folder.path(), "trials");

    REQUIRE(trials.size() == 1);
    CHECK(trials[0].at("failures") == 2);
    CHECK(trials[0].at("status") == "finished");
    const auto replayed = run_crescendo(folder.path(), {"simulate", "--replay", "s", "--format", "json"});
    CHECK_MESSAGE(replayed.code == 0, replayed.err);
    CHECK(replayed.json().at("differences") == 0);
}
