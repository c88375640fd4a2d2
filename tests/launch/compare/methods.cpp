#include "launch/compare/methods.hpp"

#include <doctest/doctest.h>

#include "core/check.hpp"
#include "tests/error_of.hpp"
#include "tests/launch/compare/recorded_sweep.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

namespace {

const std::vector<Report> one_report{{10, 0, 1, 0.5}};

std::vector<Method> methods_in(const std::vector<std::filesystem::path>& directories, Grouping grouping) {
    return read_methods(directories, grouping, ClockOf::sweeps, [](auto, auto) {});
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    return text;
}

}  // namespace

TEST_CASE("each named directory is a method with all the sweeps in it") {
    const TemporaryFolder folder;
    record_sweep(folder / "asha/1", two_trials(1), one_report);
    record_sweep(folder / "asha/2", two_trials(2), one_report);
    record_sweep(folder / "rasda", two_trials(1), one_report);

    const auto methods = methods_in({folder / "asha/", folder / "rasda"}, Grouping::arguments);

    REQUIRE(methods.size() == 2);
    CHECK(methods[0].name == (folder / "asha").string());
    CHECK(methods[0].runs.size() == 2);
    CHECK(methods[1].runs.size() == 1);
}

TEST_CASE("sweeps whose files differ only in seed and name are one method") {
    const TemporaryFolder folder;
    record_sweep(folder / "a", two_trials(1), one_report);
    record_sweep(folder / "b", replaced(two_trials(1), "type: fifo", "type: asha"), one_report);
    record_sweep(folder / "c", two_trials(2, "name: other\ndescription: again\n"), one_report);

    const auto methods = methods_in({folder / "a", folder / "b", folder / "c"}, Grouping::seed);

    REQUIRE(methods.size() == 2);
    CHECK(methods[0].name == "fifo");
    CHECK(methods[0].runs.size() == 2);
    CHECK(methods[1].name == "asha");
    CHECK(methods[1].runs.size() == 1);
}

TEST_CASE("a sweep that was extended is not one method with those that were not") {
    const TemporaryFolder folder;
    for (const int seed : {1, 2, 3}) {
        record_sweep(folder / std::to_string(seed), two_trials(seed), one_report);
    }
    const auto extended = parse_sweep(replaced(two_trials(3), "run_cap: 2", "run_cap: 4"), "sweep.yaml");
    auto journal = Journal::open(folder / "3/journal.jsonl");
    journal.append(limits_record({.settings = {{"run_cap", "4"}}}, extended, /*elapsed=*/10, /*time=*/1010));
    journal.sync();

    const auto methods = methods_in({folder.path()}, Grouping::seed);

    REQUIRE(methods.size() == 2);
    CHECK(methods[0].name == "run_cap=2");
    CHECK(methods[0].runs.size() == 2);
    CHECK(methods[1].name == "run_cap=4");
}

TEST_CASE("groups are named after their differences") {
    const FlatKeys asha{{"scheduler.type", "\"asha\""}, {"scheduler.max", "27"}};
    const FlatKeys rasda{{"scheduler.type", "\"rasda\""}, {"scheduler.max", "27"}, {"scheduler.grow", "\"wait\""}};
    const FlatKeys longer{{"scheduler.type", "\"asha\""}, {"scheduler.max", "81"}};
    const FlatKeys plain{{"scheduler.max", "27"}};

    CHECK(names_of_groups({asha, rasda}) == std::vector<std::string>{"asha", "rasda"});
    CHECK(names_of_groups({asha, rasda, longer}) ==
          std::vector<std::string>{"max=27 type=asha", "grow=wait max=27 type=rasda", "max=81 type=asha"});
    CHECK(names_of_groups({asha, plain}) == std::vector<std::string>{"type=asha", "otherwise"});
    CHECK(names_of_groups({longer}) == std::vector<std::string>{"asha"});
}

TEST_CASE("groups that differ in keys with the same last part have different names") {
    const FlatKeys lr{{"parameters.lr.value", "0.1"}};
    const FlatKeys decay{{"parameters.decay.value", "0.1"}};

    CHECK(names_of_groups({lr, decay}) ==
          std::vector<std::string>{"parameters.lr.value=0.1", "parameters.decay.value=0.1"});
}

TEST_CASE("sweeps with different metrics or goals are not compared") {
    const TemporaryFolder folder;
    record_sweep(folder / "a", two_trials(1), one_report);
    record_sweep(folder / "b",
                 "run_cap: 1\n" + replaced(replaced(two_trials(1), "run_cap: 2\n", ""), "name: accuracy", "name: f1"),
                 one_report);
    record_sweep(folder / "c", replaced(two_trials(1), "goal: maximize", "goal: minimize"), one_report);

    const auto name = error_of([&] { methods_in({folder / "a", folder / "b"}, Grouping::arguments); });
    const auto goal = error_of([&] { methods_in({folder / "a", folder / "c"}, Grouping::arguments); });

    CHECK(name.find((folder / "b").string() + "/sweep.yaml:2:") == 0);
    CHECK(name.find("metric.name: is f1 here but accuracy at " + (folder / "a").string() + "/sweep.yaml:1;") !=
          std::string::npos);
    CHECK(goal.find("metric.goal: is minimize here but maximize at") != std::string::npos);
}

TEST_CASE("a sweep that is named twice is refused, even under another path") {
    const TemporaryFolder folder;
    record_sweep(folder / "asha/1", two_trials(1), one_report);

    const auto error = error_of([&] { methods_in({folder / "asha", folder / "asha/../asha/1"}, Grouping::arguments); });

    CHECK(error.find("the sweep is named twice") != std::string::npos);
}

TEST_CASE("progress grows and ends with everything read") {
    const TemporaryFolder folder;
    record_sweep(folder / "a", two_trials(1), one_report);
    std::int64_t last = 0;
    std::int64_t all = 0;

    read_methods({folder / "a"}, Grouping::arguments, ClockOf::sweeps, [&](std::int64_t done, std::int64_t total) {
        CHECK(done > last);
        CHECK(done <= total);
        last = done;
        all = total;
    });

    CHECK(last == all);
    CHECK(all > 0);
}
