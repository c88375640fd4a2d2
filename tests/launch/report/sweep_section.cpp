#include "launch/report/sweep_section.hpp"

#include <doctest/doctest.h>

#include "launch/journal/journal.hpp"
#include "launch/report/sweep_data.hpp"
#include "tests/contains.hpp"
#include "tests/launch/compare/recorded_sweep.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("the best trial counts with its last report, and a page mentions a better report of another trial") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1), {{2, 0, 1, 0.5}, {4, 0, 2, 0.6}, {5, 1, 1, 0.9}, {6, 1, 2, 0.4}});
    record_sweep(folder / "plain", two_trials(1), {{2, 0, 1, 0.5}, {4, 0, 2, 0.6}});
    const auto section = [&](const char* name) {
        return sweep_section(sweep_data(folder / name), 0, /*is_open=*/true, PageKind::file);
    };

    CHECK(contains(section("s"), "best: trial 0, resource 2; 0.9 in a report of trial 1, but not its last; next: "));
    CHECK(contains(section("plain"), "best: trial 0, resource 2</small>"));
}

TEST_CASE("a page shows the next best trial or configuration after the best one") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1), {{2, 0, 1, 0.5}, {4, 0, 2, 0.6}, {6, 1, 3, 0.4}});
    record_sweep(folder / "repeated", two_trials(1, "repeat: 2\n"),
                 {{2, 0, 9, 0.5}, {3, 1, 9, 0.7}, {4, 2, 9, 0.6}, {5, 3, 9, 0.2}});
    const auto section = [&](const char* name) {
        return sweep_section(sweep_data(folder / name), 0, /*is_open=*/true, PageKind::file);
    };

    CHECK(contains(section("s"), "best: trial 0, resource 2; next: trial 1, resource 3: 0.4</small>"));
    CHECK(contains(section("repeated"), "; next: configuration 1, resource 9: 0.4</small>"));  // (0.6 + 0.2) / 2
}

TEST_CASE("a page has a chart and a table of rungs only if rungs judge its trials") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1), {{2, 0, 1, 0.5}});
    auto data = sweep_data(folder / "s");
    const auto section = [&] { return sweep_section(data, 0, /*is_open=*/true, PageKind::file); };

    CHECK(contains(section(), "data-chart='rungs'"));
    data["rungs"] = OrderedJson::array();
    CHECK_FALSE(contains(section(), "data-chart='rungs'"));
    CHECK_FALSE(contains(section(), "Rungs in numbers"));
}

TEST_CASE("a page gives the advice of `run` and `status`, such as that no trial reached the end") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1), {{2, 0, 1, 0.5}, {2, 1, 1, 0.6}});
    auto journal = Journal::open(folder / "s" / "journal.jsonl");
    for (const int trial : {0, 1}) {
        journal.append({{"event", "trial_finished"}, {"trial", trial}, {"time", 1004.0}});
    }
    journal.sync();

    const auto section = sweep_section(sweep_data(folder / "s"), 0, /*is_open=*/true, PageKind::file);

    CHECK(contains(section, "no trial reached scheduler.max, which is 9: all programs ended at 1 or earlier"));
}

TEST_CASE("a page mentions a better report of a failed trial, but not of a repetition of the best configuration") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1, "max_retries: 0\n"), {{2, 0, 9, 0.5}, {3, 1, 1, 0.9}});
    record_sweep(folder / "repeated", two_trials(1, "repeat: 2\n"), {{2, 0, 1, 0.9}, {3, 0, 9, 0.9}, {5, 1, 1, 0.1}});
    for (const char* name : {"s", "repeated"}) {
        auto journal = Journal::open(folder / name / "journal.jsonl");
        if (name == std::string("s")) {
            journal.append({{"event", "trial_failed"}, {"trial", 1}, {"kind", "crash"}, {"time", 1004.0}});
        } else {
            journal.append({{"event", "trial_finished"}, {"trial", 1}, {"time", 1006.0}});
        }
        journal.sync();
    }
    const auto section = [&](const char* name) {
        return sweep_section(sweep_data(folder / name), 0, /*is_open=*/true, PageKind::file);
    };

    CHECK(contains(section("s"), "best: trial 0, resource 9; 0.9 in a report of trial 1, which failed"));
    CHECK(contains(section("repeated"), "best: mean of configuration 0, trial 0, resource 9</small>"));
}

TEST_CASE("a page and `best` say of how many repetitions the best configuration's value is") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1, "repeat: 2\nmax_retries: 0\n"), {{2, 0, 9, 0.9}});
    auto journal = Journal::open(folder / "s" / "journal.jsonl");
    journal.append({{"event", "trial_failed"}, {"trial", 1}, {"kind", "crash"}, {"time", 1004.0}});
    journal.sync();

    const auto data = sweep_data(folder / "s");
    const auto section = sweep_section(data, 0, /*is_open=*/true, PageKind::file);

    CHECK(data.at("best").at("failed_repetitions") == 1);
    CHECK(
        contains(section, "best: mean of configuration 0, of which 1 repetition failed, trial 0, resource 9</small>"));
    CHECK(contains(section, "The best value that any configuration had by then, over its repetitions."));
}

TEST_CASE("a page without scripts lists the same best trials as `best`, without failed trials") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1, "max_retries: 0\n"), {{2, 0, 9, 0.5}, {3, 1, 1, 0.9}});
    auto journal = Journal::open(folder / "s" / "journal.jsonl");
    journal.append({{"event", "trial_failed"}, {"trial", 1}, {"kind", "crash"}, {"time", 1004.0}});
    journal.sync();

    const auto section = sweep_section(sweep_data(folder / "s"), 0, /*is_open=*/true, PageKind::file);
    const auto table = section.substr(section.find("<h3>The best trials</h3>"));
    const auto rows = table.substr(0, table.find("</noscript>"));

    CHECK(contains(rows, "<td>0.5</td>"));
    CHECK_FALSE(contains(rows, "<td>failed</td>"));  // its last report was the best of all
}

TEST_CASE("a page says what it does not draw, and says nothing if it draws everything") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1), {{2, 0, 1, 0.5}});
    const auto section = [&](int points, int spans) {
        auto data = sweep_data(folder / "s");
        data["points_left_out"] = points;
        data["spans_left_out"] = spans;
        return sweep_section(data, 0, /*is_open=*/true, PageKind::file);
    };

    CHECK_FALSE(contains(section(0, 0), "does not draw"));
    CHECK(contains(section(0, 1249), "the page does not draw 1249 short stays on slots. All numbers"));
    CHECK(contains(section(5, 1), "the page does not draw 5 reports of learning curves and 1 short stay on slots."));
}

TEST_CASE("a page says that a parameter with more than 64 choices has no charts") {
    const TemporaryFolder folder;
    std::string choices = "0";
    for (int i = 1; i < 65; ++i) {
        choices += ", " + std::to_string(i);
    }
    auto file = two_trials(1);
    file.insert(file.find("x: "), "'a<b': {values: [" + choices + "]}, ");
    record_sweep(folder / "s", file, {{2, 0, 1, 0.5}});

    const auto section = sweep_section(sweep_data(folder / "s"), 0, /*is_open=*/true, PageKind::file);

    CHECK(contains(section, "No charts for parameters with more than 64 choices: a&lt;b.</p>"));
}
