/// `crescendo compare`, as a user types it.

#include <doctest/doctest.h>

#include "tests/e2e/command.hpp"
#include "tests/launch/commands/arguments.hpp"
#include "tests/launch/compare/recorded_sweep.hpp"

using namespace crescendo::tests;

namespace {

const std::string header = "submission,workload,study,trial,seconds,value\n";

/// Times to the target: a 10, 100; b 20, 50; c 41, missed.
const std::string three = "a,u,1,1,10,1\na,v,1,1,100,1\nb,u,1,1,20,1\nb,v,1,1,50,1\nc,u,1,1,41,1\nc,v,1,1,60,0.5\n";

Result compare_curves(const TemporaryFolder& folder, const std::string& rows, std::vector<std::string> more = {}) {
    write_file(folder / "curves.csv", rows);
    write_file(folder / "workloads.csv", "workload,target,goal,max_seconds\nu,1,maximize,200\nv,1,maximize,200\n");
    std::vector<std::string> arguments{"compare",       "--curves", "curves.csv", "--workloads",
                                       "workloads.csv", "--format", "csv"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_crescendo(folder.path(), arguments);
}

/// Two methods with two seeds each: asha needs 40 and 60 seconds to reach 0.9, and median 10 and 20.
void record_four(const TemporaryFolder& folder) {
    const auto file = [](const std::string& type, int seed) {
        auto text = two_trials(seed);
        return text.replace(text.find("type: fifo"), 10, "type: " + type);
    };
    const auto reports = [](double seconds) { return std::vector<Report>{{5, 0, 1, 0.5}, {seconds, 1, 1, 0.9}}; };
    record_sweep(folder / "results/asha-1", file("asha", 1), reports(40));
    record_sweep(folder / "results/asha-2", file("asha", 2), reports(60));
    record_sweep(folder / "results/median-1", file("median", 1), reports(10));
    record_sweep(folder / "results/median-2", file("median", 2), reports(20));
}

const std::vector<std::string> four{"results/asha-1", "results/asha-2", "results/median-1", "results/median-2"};

}  // namespace

TEST_CASE("curves are compared by the time and the cost to the target") {
    const TemporaryFolder folder;
    write_file(folder / "prices.csv", "submission,usd_per_hour\na,3600\n");

    const auto result = compare_curves(folder, header + three, {"--prices", "prices.csv"});

    CHECK(result.code == 0);
    CHECK(result.out ==
          "submission,workload,seconds,cost\n"
          "a,u,10,10\na,v,100,100\nb,u,20,\nb,v,50,\nc,u,41,\nc,v,,\n");
    CHECK(result.err.empty());
}

TEST_CASE("profiles have exact scores, or scores by the trapezium rule") {
    const TemporaryFolder folder;

    CHECK(compare_curves(folder, header + three, {"--profiles"}).out ==
          "submission,score\na,0.8333333333333334\nb,0.8333333333333334\nc,0\n");
    const auto points = compare_curves(folder, header + three, {"--profiles", "--points", "100"}).out;
    CHECK(points.find("\na,0.8358585858") != std::string::npos);
    CHECK(points.find("\nb,0.8358585858") != std::string::npos);
    CHECK(compare_curves(folder, header + three, {"--profiles", "--rmax", "5", "--baseline", "b"})
              .out.starts_with("submission,score,time_over_baseline\na,0.875,1\n"));
}

TEST_CASE("compare reads files written by spreadsheets") {
    const TemporaryFolder folder;

    const auto result = compare_curves(folder,
                                       "\xEF\xBB\xBFvalue,note,submission,workload,study,trial,seconds\r\n\r\n"
                                       "1,\"a, \"\"b\"\"\",\"x, y\",u,1,1,10\r\n");

    CHECK(result.out == "submission,workload,seconds,cost\n\"x, y\",u,10,\n\"x, y\",v,,\n");
}

TEST_CASE("bad curves exit with 2, name the file and the line, and print nothing") {
    const TemporaryFolder folder;
    const auto refused = [&](const std::string& rows, const std::string& message, std::vector<std::string> more = {}) {
        const auto result = compare_curves(folder, rows, std::move(more));
        CHECK(result.code == 2);
        CHECK(result.out.empty());
        INFO(result.err);
        CHECK(result.err.find(message) != std::string::npos);
    };

    refused("submission,workload,study,trial,seconds\n", "curves.csv:1: there is no column 'value'");
    refused(header + "a,u,1,1,10,1\na,u,1,1,9,1\n", "curves.csv:3: time runs backwards");
    refused(header + "a,u,1,1,10,nan\n", "curves.csv:2: 'nan' in the column 'value'");
    refused(header + "a,u,1,1,nan,1\n", "curves.csv:2: 'nan' in the column 'seconds'");
    refused(header + "a,x,1,1,10,1\n", "curves.csv:2: the workload 'x' is not in the file of workloads");
    refused(header + three, "no submission is named 'd'", {"--baseline", "d"});
    refused(header + three, "--target, --out", {"--target", "0.5"});
    refused(header + three, "nan is not a finite number", {"--target", "nan"});
    refused(header + three, "--points", {"--points", "1"});
    refused(header + three, "--rmax", {"--rmax", "1"});
}

TEST_CASE("sweeps are compared over seeds by the time and slots that a target took") {
    const TemporaryFolder folder;
    record_four(folder);

    const auto result = run_crescendo(
        folder.path(), with({"compare"}, with(four, {"--target", "0.9", "--group-by", "seed", "--format", "json"})));

    REQUIRE_MESSAGE(result.code == 0, result.err);
    const auto methods = result.json();
    REQUIRE(methods.size() == 2);
    CHECK(methods[0]["submission"] == "asha");
    CHECK(methods[0]["seconds"] == 50);
    CHECK(methods[1]["submission"] == "median");
    CHECK(methods[1]["seconds"] == 15);
    CHECK(methods[1]["seconds_low"] == 10);
    CHECK(methods[1]["seconds_high"] == 20);
    CHECK(methods[1]["slot_hours"].get<double>() == doctest::Approx(30.0 / 3600));
    CHECK(methods[1]["speedup"].get<double>() == doctest::Approx(50.0 / 15));
    CHECK(methods[1]["cost"].is_null());
}

TEST_CASE("a report is a folder of files, and its curves can be compared again") {
    const TemporaryFolder folder;
    record_four(folder);
    const auto command = with({"compare"}, with(four, {"--group-by", "seed", "--out", "report"}));

    const auto result = run_crescendo(folder.path(), command);

    REQUIRE_MESSAGE(result.code == 0, result.err);
    for (const char* file : {"chart.svg", "curves.csv", "comparison.csv", "pareto.csv"}) {
        CHECK(fs::file_size(folder / "report" / file) > 0);
    }
    CHECK(content_of(folder / "report/pareto.csv").starts_with("submission,slot_hours,accuracy\n"));
    write_file(folder / "workloads.csv", "workload,target,goal,max_seconds\naccuracy,0.9,maximize,\n");
    CHECK(run_crescendo(folder.path(),
                        {"compare", "--curves", "report/curves.csv", "--workloads", "workloads.csv", "--format", "csv"})
              .out == "submission,workload,seconds,cost\nasha,accuracy,50,\nmedian,accuracy,15,\n");
    CHECK(run_crescendo(folder.path(), command).code == 2);  // the folder already exists
}

TEST_CASE("compare exits with 2 and leaves no report if the sweeps cannot be compared") {
    const TemporaryFolder folder;
    record_four(folder);
    auto other = two_trials(1);
    record_sweep(folder / "other", other.replace(other.find("accuracy"), 8, "f1"), {{5, 0, 1, 0.5}});
    fs::create_directory(folder / "empty");
    const auto refused = [&](const std::vector<std::string>& arguments, const std::string& message) {
        const auto result = run_crescendo(folder.path(), with({"compare", "--out", "report"}, arguments));
        CHECK(result.code == 2);
        INFO(result.err);
        CHECK(result.err.find(message) != std::string::npos);
        CHECK_FALSE(fs::exists(folder / "report"));
    };

    refused({"results", "--target", "0.99"}, "no sweep reached it");
    refused({"results", "other"}, "other/sweep.yaml:1:10: metric.name: is f1 here but accuracy at");
    refused({"results", "empty"}, "empty: neither this folder nor any folder in it holds a sweep");
    refused({"results", "nothing"}, "nothing: no such directory");
    refused({"results", "--baseline", "asha"}, "'asha' is not one of the submissions");
    refused({"results", "--profiles"}, "--profiles and --points are for --curves");
    refused({}, "give either directories of sweeps");
    CHECK(run_crescendo(folder.path(), {"compare", "results", "--out", "no/report"}).code == 2);
}

TEST_CASE("sweeps that really ran are compared") {
    const TemporaryFolder folder;
    write_file(folder / "train.sh", R"(echo "{\"resource\":1,\"metrics\":{\"accuracy\":0.5}}" >&$CRESCENDO_FD
read -r reply <&$CRESCENDO_FD
)");
    for (const char* seed : {"1", "2"}) {
        write_file(folder / "sweep.yaml",
                   "metric: {name: accuracy, goal: maximize}\nrun_cap: 2\nseed: " + std::string(seed) +
                       "\nparameters: {x: {min: 0.0, max: 1.0}}\n"
                       "scheduler: {type: fifo, max: 1}\ncommand: [bash, train.sh, \"${args}\"]\n");
        REQUIRE(
            run_crescendo(folder.path(), {"run", "sweep.yaml", "--dir", "results-" + std::string(seed), "--slots", "1"})
                .code == 0);
    }

    for (const char* clock : {"trials", "sweeps"}) {
        const auto result = run_crescendo(folder.path(), {"compare", "results-1", "results-2", "--group-by", "seed",
                                                          "--target", "0.5", "--of", clock, "--format", "json"});

        REQUIRE_MESSAGE(result.code == 0, result.err);
        REQUIRE(result.json().size() == 1);
        CHECK(result.json()[0]["submission"] == "fifo");
        CHECK(result.json()[0]["reached"] == 2);
        CHECK(result.json()[0]["seconds"] > 0);
        CHECK(result.json()[0]["slot_hours"] > 0);
    }
}
