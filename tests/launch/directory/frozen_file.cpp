#include "launch/directory/frozen_file.hpp"

#include <doctest/doctest.h>

#include "core/check.hpp"
#include "launch/journal/journal.hpp"
#include "tests/error_of.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

namespace {

const std::string began =
    "run_cap: 9\n"
    "parameters:\n"
    "  lr: {min: 1e-4, max: 0.1}\n"
    "  width: {values: [16, 32]}\n"
    "scheduler: {type: asha, max: 9}\n";

const FrozenFile frozen(began, "s.yaml");

std::string replaced(std::string what, const std::string& by) {
    auto result = began;
    return result.replace(result.find(what), what.size(), by);
}

std::string error_of(const std::string& now) { return tests::error_of([&] { frozen.require_same(now, "s.yaml"); }); }

/// "run_cap=200 budget.time="
std::string text_of(const std::vector<Override>& overrides) {
    std::string result;
    for (const auto& each : overrides) {
        result += (result.empty() ? "" : " ") + each.key + "=" + each.value.value_or("");
    }
    return result;
}

}  // namespace

TEST_CASE("a file with only a different layout counts as the same") {
    CHECK(error_of(began) == "no error");
    CHECK(error_of("# a comment\n" + replaced("{min: 1e-4, max: 0.1}", "{max: 0.10, min: 0.0001}")) == "no error");
}

TEST_CASE("the price of an hour may change at any time") {
    CHECK(error_of(began + "price: {slot_hour: 0.9}\n") == "no error");
    CHECK(frozen.edits({}, began + "price: {slot_hour: 0.9}\n", "s.yaml").empty());
}

TEST_CASE("the error for a changed value gives its line, its old value and its new value") {
    const auto error = error_of(replaced("max: 0.1", "max: 0.2"));

    CHECK(error.find("s.yaml:3:") == 0);
    CHECK(error.find("parameters.lr.max: is 0.2 now but was 0.1 when the sweep began") != std::string::npos);
    CHECK(error.find("change it back") != std::string::npos);
}

TEST_CASE("a new key, a removed key and a different list are changes too") {
    CHECK(error_of("seed: 3\n" + began).find("seed: is 3 now but was not given") != std::string::npos);
    CHECK(error_of(replaced("type: asha, ", "")).find("s.yaml:5:1: scheduler.type: is not given now but was") == 0);
    CHECK(error_of(replaced("[16, 32]", "[16, 64]")).find("is [16,64] now but was [16,32]") != std::string::npos);
    CHECK(error_of(replaced("1e-4", "1")).find("is 1 now") != std::string::npos);
}

TEST_CASE("the error for changed slots names the option that sets the slots of one session") {
    const auto error = error_of("slots: 4\n" + began);

    CHECK(error ==
          "s.yaml:1:1: slots: is 4 now but was not given when the sweep began; change it back, and give --slots to "
          "`crescendo resume` for a session with other slots");
}

TEST_CASE("limits may change, and their first values are known") {
    const auto now = replaced("run_cap: 9", "run_cap: 200\nbudget: {time: 8h}\nhang_timeout: off");

    CHECK(error_of(now) == "no error");
    CHECK(text_of(frozen.beginning()) ==
          "run_cap=9 budget.time= budget.target= scheduler.max_concurrent= max_retries= hang_timeout=");
    CHECK(text_of(frozen.edits({}, now, "s.yaml")) == "run_cap=200 budget.time=\"8h\" hang_timeout=\"off\"");
}

TEST_CASE("an edit is relative to the file's last values in the journal, whatever a command has set since") {
    const LimitsChange edit{{{"run_cap", "20"}}, LimitsChange::Source::file};
    const LimitsChange command{{{"run_cap", "30"}}, LimitsChange::Source::command};

    CHECK(text_of(frozen.edits({edit, command}, replaced("run_cap: 9", "run_cap: 20"), "s.yaml")).empty());
    CHECK(text_of(frozen.edits({edit, command}, began, "s.yaml")) == "run_cap=9");
}

TEST_CASE("a journal records the file in its header, or in a note if an old journal is continued") {
    const TemporaryFolder folder;
    Journal::create(folder / "new.jsonl", {{"file", frozen.to_json()}});
    auto old = Journal::create(folder / "old.jsonl");

    CHECK(FrozenFile::recorded_in(folder / "new.jsonl")->to_json() == frozen.to_json());
    CHECK_FALSE(FrozenFile::recorded_in(folder / "old.jsonl").has_value());
    old.append(file_note(1.5, frozen));
    old.sync();
    CHECK(FrozenFile::recorded_in(folder / "old.jsonl")->to_json() == frozen.to_json());
}

TEST_CASE("a setting must be a key that may change, and null removes it") {
    CHECK(text_of({parse_setting("run_cap=200"), parse_setting("budget.time=8h"), parse_setting("max_retries=null")}) ==
          "run_cap=200 budget.time=\"8h\" max_retries=");
    CHECK_THROWS_WITH_AS(parse_setting("parameters.lr.max=1"),
                         doctest::Contains("Settings that can change: run_cap, budget.time"), InvalidInput);
    CHECK_THROWS_WITH_AS(parse_setting("runcap=1"), doctest::Contains("did you mean 'run_cap'?"), InvalidInput);
    CHECK_THROWS_AS(parse_setting("run_cap"), InvalidInput);
}

TEST_CASE("the record of changed limits includes settings that the state machine does not know") {
    const auto file = parse_sweep(
        "metric: {name: x}\nrun_cap: 200\nparameters: {a: {min: 1, max: 2}}\nscheduler: {type: fifo, max: 1}\n"
        "budget: {time: 1m}\n",
        "s.yaml");
    const LimitsChange change{{{"run_cap", "200"}, {"hang_timeout", {}}}, LimitsChange::Source::file};

    const auto record = limits_record(change, file, /*elapsed=*/59, /*time=*/5);

    CHECK(record["run_cap"] == 200);
    CHECK(record["time_budget"] == true);
    CHECK(record["time_left"] == true);
    CHECK(limits_record(change, file, /*elapsed=*/60, 5)["time_left"] == false);
    const auto read = limits_change_from(record);
    REQUIRE(read.has_value());
    CHECK(text_of(read->settings) == "hang_timeout= run_cap=200");
    CHECK(read->source == LimitsChange::Source::file);
    CHECK_FALSE(limits_change_from({{"event", "time_up"}}).has_value());
}
