#include "launch/report/sweep_data.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "launch/directory/recorded_sweep.hpp"
#include "launch/directory/sweep_directory.hpp"
#include "launch/journal/journal.hpp"
#include "launch/view/trials_table.hpp"
#include "tests/contains.hpp"
#include "tests/launch/compare/recorded_sweep.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("the rows of a page are the table of trials") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1), {{2, 0, 1, 0.1 + 0.2}, {3, 1, 1, 0.6}, {5, 0, 2, 0.7}});

    const auto data = sweep_data(folder / "s");

    const auto trials = OrderedJson::parse(trials_table(RecordedSweep(folder / "s").history).print(Format::json));
    REQUIRE(data.at("rows").size() == trials.size());
    for (std::size_t i = 0; i < trials.size(); ++i) {
        std::size_t column = 0;
        for (const auto& [name, value] : trials[i].items()) {
            CHECK(data.at("columns")[column] == name);
            CHECK(data.at("rows")[i][column++] == value);
        }
    }
}

TEST_CASE("a parameter named like a column of the table does not replace that column") {
    const TemporaryFolder folder;
    auto file = two_trials(1);
    file.replace(file.find("{x: "), 4, "{status: ");
    record_sweep(folder / "s", file, {{2, 0, 1, 0.7}});

    const auto data = sweep_data(folder / "s");

    CHECK(data.at("sampler") == "random");
    CHECK(data.at("columns")[1] == "status");
    CHECK(data.at("rows")[0][1] == "waiting");
    CHECK(data.at("metric_column") == "accuracy");
    CHECK(data.at("ranked_by") == "accuracy");
    CHECK(data.at("parameters")[0].at("name") == "status");
    CHECK(data.at("parameters")[0].at("column") == "parameters.status");
}

TEST_CASE("the best value so far has every improvement, with its time and its slot-hours") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1), {{36, 0, 1, 0.5}, {72, 1, 1, 0.4}, {108, 0, 2, 0.6}});

    const auto data = sweep_data(folder / "s");

    // Two slots are in use: 36 s of both are 0.02 slot-hours.
    CHECK(data.at("best_so_far") == OrderedJson{{36, 0.02, 0.5, 0}, {108, 0.06, 0.6, 0}});
}

TEST_CASE("a rung gives the number of trials that it cut and the resource that it saved") {
    const TemporaryFolder folder;
    auto file = two_trials(1);
    file.replace(file.find("{type"), std::string("{type: fifo, max: 9}").size(), "{type: asha, min: 1, max: 9}");
    record_sweep(folder / "s", file, {{1, 0, 1, 0.7}, {2, 1, 1, 0.6}, {5, 0, 2, 0.8}});

    const auto rung = sweep_data(folder / "s").at("rungs")[0];

    CHECK(rung.at("at") == 1);
    CHECK(rung.at("reached") == 2);
    CHECK(rung.at("went_on") == 1);
    CHECK(rung.at("cut") == 1);
    CHECK(rung.at("worst_that_went_on") == 0.7);
    CHECK(rung.at("best_that_was_cut") == 0.6);
    CHECK(rung.at("resource_saved") == 8);
}

TEST_CASE("a lucky repetition of a configuration that was cut once seemed better than all that continued") {
    const TemporaryFolder folder;
    auto file = two_trials(1, "repeat: 2\n");
    file.replace(file.find("{type"), std::string("{type: fifo, max: 9}").size(), "{type: asha, min: 1, max: 9}");
    record_sweep(folder / "s", file, {{1, 0, 1, 0.6}, {2, 1, 1, 0.8}, {3, 2, 1, 0.9}, {4, 3, 1, 0.1}},
                 /*num_slots=*/4);

    const auto rung = sweep_data(folder / "s").at("rungs")[0];

    CHECK(rung.at("reached") == 4);
    CHECK(rung.at("worst_that_went_on") == 0.7);  // (0.6 + 0.8) / 2
    CHECK(rung.at("best_that_was_cut") == 0.5);   // (0.9 + 0.1) / 2
}

TEST_CASE("a trial whose report reaches several rungs at once is cut at one of them") {
    const TemporaryFolder folder;
    auto file = two_trials(1);
    file.replace(file.find("{type"), std::string("{type: fifo, max: 9}").size(),
                 "{type: asha, min: 1, max: 9, reduction_factor: 2}");
    record_sweep(folder / "s", file, {{1, 0, 4, 0.7}, {2, 1, 4, 0.6}});  // rungs are at 1, 2, 4 and 8

    const auto data = sweep_data(folder / "s");

    CHECK(data.at("cut_at") == OrderedJson{nullptr, 1});
    CHECK(data.at("rungs_reached") == OrderedJson{3, 1});
    std::vector<int> reached, cut, went_on, saved;
    for (const auto& rung : data.at("rungs")) {
        reached.push_back(rung.at("reached"));
        cut.push_back(rung.at("cut"));
        went_on.push_back(rung.at("went_on"));
        saved.push_back(rung.at("resource_saved"));
    }
    CHECK(reached == std::vector{2, 1, 1, 0, 0});
    CHECK(cut == std::vector{1, 0, 0, 0, 0});
    CHECK(went_on == std::vector{1, 1, 1, 0, 0});
    CHECK(saved == std::vector{5, 0, 0, 0, 0});
}

TEST_CASE("a report without a metric, which our programs never write, does not prevent a page") {
    const TemporaryFolder folder;
    auto file = two_trials(1);
    file.replace(file.find("{type"), std::string("{type: fifo, max: 9}").size(), "{type: asha, min: 1, max: 9}");
    record_sweep(folder / "s", file, {{1, 0, 4, 0.7}});
    auto journal = Journal::open(folder / "s/journal.jsonl");
    journal.append({{"event", "trial_reported"},
                    {"trial", 1},
                    {"resource", 3},
                    {"loss", -0.8},
                    {"time", 1002},
                    {"metrics", Json::object()}});
    journal.sync();

    const auto data = sweep_data(folder / "s");

    CHECK(data.at("rungs").at(0).at("reached") == 1);
    CHECK(data.at("best").at("trial") == 1);
    CHECK(data.at("best").at("metrics").empty());
}

TEST_CASE("a curve with too many points keeps the points that rungs judged, and short curves keep all points") {
    const TemporaryFolder folder;
    auto file = two_trials(1);
    file.replace(file.find("{type"), std::string("{type: fifo, max: 9}").size(), "{type: asha, min: 3, max: 9}");
    std::vector<Report> reports{{0.5, 1, 1, 0.1}, {0.7, 1, 2, 0.2}};
    for (int i = 1; i <= 8; ++i) {
        reports.push_back({static_cast<double>(i), 0, i, 0.1 * i});
    }
    record_sweep(folder / "s", file, reports);

    const auto data = sweep_data(folder / "s", {.most_points = 4, .most_spans = 9, .most_samples = 10});

    CHECK(data.at("curves")[0][0] == OrderedJson{1, 3, 8});  // two points, and the point of the rung at 3
    CHECK(data.at("curves")[1][0] == OrderedJson{1, 2});
    CHECK(data.at("points_left_out") == 5);
}

TEST_CASE("a trial that did not end because of a rung does not count as cut there") {
    const TemporaryFolder folder;
    auto file = two_trials(1, "budget: {target: 0.9}\n");
    file.replace(file.find("{type"), std::string("{type: fifo, max: 9}").size(), "{type: asha, min: 1, max: 9}");
    record_sweep(folder / "s", file, {{1, 0, 1, 0.7}, {2, 1, 1, 0.95}});

    const auto rung = sweep_data(folder / "s").at("rungs")[0];

    CHECK(rung.at("reached") == 2);
    CHECK(rung.at("cut") == 0);
    CHECK(rung.at("best_that_was_cut").is_null());
    CHECK(rung.at("resource_saved") == 0);
}

TEST_CASE("a page advises continuing the search only if the sweep then has something to do") {
    const TemporaryFolder folder;
    const auto next_of = [&](const std::string& name, const std::string& file, const std::vector<Report>& reports,
                             double end = 0) {
        record_sweep(folder / name, file, reports);
        if (end > 0) {
            auto journal = Journal::open(folder / name / "journal.jsonl");
            journal.append({{"event", "time_up"}, {"time", 1000 + end}});
            journal.sync();
        }
        const auto data = sweep_data(folder / name);
        CHECK(data.at("state") == "finished");
        return data.at("next").dump();
    };
    const std::vector<Report> both{{1, 0, 9, 0.7}, {2, 1, 9, 0.6}};
    auto grid = two_trials(1, "method: grid\n");
    grid.replace(grid.find("{min: 0.0, max: 1.0}"), 20, "{values: [1, 2]}");
    const std::string extends = "crescendo resume ";

    CHECK(contains(next_of("random", two_trials(1), both), "random --set run_cap=4"));
    CHECK_FALSE(contains(next_of("grid", grid, both), extends));
    CHECK_FALSE(contains(next_of("target", two_trials(1, "budget: {target: 0.65}\n"), {{1, 0, 9, 0.7}}), extends));
    CHECK_FALSE(contains(next_of("patience", two_trials(1, "patience: {trials: 1}\n"), both), extends));
    CHECK(contains(next_of("time", two_trials(1, "budget: {time: 20m}\n"), {{1, 0, 1, 0.7}}, 1200),
                   "time --set budget.time=2400s"));
}

TEST_CASE("a page with too much to draw keeps the ends of curves and the longest stays, and counts what it left out") {
    const TemporaryFolder folder;
    std::vector<Report> reports;
    for (int i = 1; i <= 8; ++i) {
        reports.push_back({static_cast<double>(i), 0, i, 0.1 * i});
    }
    record_sweep(folder / "s", two_trials(1), reports);

    const auto data = sweep_data(folder / "s", {.most_points = 3, .most_spans = 1, .most_samples = 10});

    CHECK(data.at("curves")[0][0] == OrderedJson{1, 4, 8});
    CHECK(data.at("points_left_out") == 5);
    CHECK(data.at("spans").size() == 1);
    CHECK(data.at("spans_left_out") == 1);
}

TEST_CASE("the advised command for a stopped sweep retries failed trials if there are any") {
    const TemporaryFolder folder;
    for (const bool fails : {false, true}) {
        const auto path = folder / (fails ? "failing" : "sound");
        const auto directory = SweepDirectory::create(path, two_trials(1, "max_retries: 0\n"), {{"sweep", "s"}});
        {
            auto journal = Journal::create(directory.journal());
            journal.append(session_note(1000, "host", 1));
            journal.append(Json{{"event", "slots_joined"}, {"time", 1000}, {"slots", {{{"slot", 0}, {"node", 0}}}}});
            if (fails) {
                journal.append(Json{{"event", "trial_failed"}, {"trial", 0}, {"kind", "crash"}, {"time", 1001}});
            }
            journal.sync();
        }

        const auto next = sweep_data(path).at("next").dump();

        CHECK(next.find("crescendo resume") != std::string::npos);
        CHECK((next.find("--retry-failed") != std::string::npos) == fails);
    }
}

TEST_CASE("the advised command for a submitted sweep continues it in a job") {
    const TemporaryFolder folder;
    record_sweep(folder / "stopped", two_trials(1), {{1, 0, 1, 0.7}});
    record_sweep(folder / "finished", two_trials(1), {{1, 0, 9, 0.7}, {2, 1, 9, 0.6}});

    for (const auto* name : {"stopped", "finished"}) {
        std::ofstream(folder / name / "job.sh") << "";
        const auto next = sweep_data(folder / name).at("next").dump();

        CHECK(contains(next, "crescendo submit "));
        CHECK_FALSE(contains(next, "crescendo resume "));
    }
}

TEST_CASE("slots that wait for the final test do not count in the utilization") {
    const TemporaryFolder folder;
    auto file = two_trials(1);
    file.replace(file.find("max: 9"), 6, "max: 1");
    record_sweep(folder / "s", file, {{36, 0, 1, 0.5}, {72, 1, 1, 0.4}});  // slot 0 idles for half of the time
    const auto before = sweep_data(folder / "s");
    auto journal = Journal::open(folder / "s/journal.jsonl");
    journal.append(test_note(2072, TrialId{0}, {{"accuracy", 0.45}}));
    journal.sync();

    const auto after = sweep_data(folder / "s");

    CHECK(before.at("utilization") == doctest::Approx(0.75));
    CHECK(after.at("elapsed") == 1072);
    CHECK(after.at("spending") == before.at("spending"));
    CHECK(after.at("utilization") == before.at("utilization"));
}

TEST_CASE("a sweep without a report has no best trial") {
    const TemporaryFolder folder;
    record_sweep(folder / "s", two_trials(1), {});

    const auto data = sweep_data(folder / "s");

    CHECK(data.at("best").is_null());
    CHECK(data.at("best_so_far").empty());
    CHECK(data.at("importances").empty());
}
