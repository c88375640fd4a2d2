#include "launch/compare/curve_file.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "core/check.hpp"
#include "tests/error_of.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using analysis::missed;
using crescendo::tests::error_of;
using crescendo::tests::TemporaryFolder;

namespace {

/// A file with this content, for the lifetime of the object.
class TextFile {
  public:
    explicit TextFile(const std::string& text) : path_(folder_ / "file.csv") { std::ofstream(path_) << text; }
    const std::filesystem::path& path() const { return path_; }

  private:
    TemporaryFolder folder_;
    std::filesystem::path path_;
};

const std::string one_workload = "workload,target,goal,max_seconds\nw,0.9,maximize,100\n";
const std::string header = "submission,workload,study,trial,seconds,value\n";

std::vector<Submission> curves(const std::string& rows, const std::string& workloads = one_workload) {
    return read_curves(TextFile(rows).path(), read_workloads(TextFile(workloads).path()), [](auto, auto) {});
}

std::string curves_error(const std::string& rows) {
    return error_of([&] { curves(rows); });
}

std::string workloads_error(const std::string& text) {
    return error_of([&] { read_workloads(TextFile(text).path()); });
}

bool has(const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a workload has a target as a loss, a limit, and perhaps a base") {
    const TextFile file(
        "base,workload,goal,target,max_seconds,note\n"
        ",a,minimize,0.25,60,x\nc,b,maximize,0.9,,y\nc,c,maximize,0.9,30.5,z\n");

    const auto workloads = read_workloads(file.path());

    REQUIRE(workloads.size() == 3);
    CHECK(workloads[0].name == "a");
    CHECK(workloads[0].target.loss == 0.25);
    CHECK(workloads[0].target.max_seconds == 60);
    CHECK_FALSE(workloads[0].base);
    CHECK(workloads[1].target.loss == -0.9);
    CHECK(workloads[1].target.max_seconds == missed);
    CHECK(workloads[1].base == 2);
    CHECK_FALSE(workloads[2].base);  // a workload that is its own base has none
}

TEST_CASE("mistakes in workloads are reported with their line") {
    const std::string columns = "workload,target,goal,max_seconds,base\n";

    CHECK(has(workloads_error("workload,target,goal\n"), "file.csv:1: there is no column 'max_seconds'"));
    CHECK(has(workloads_error(columns), "file.csv:1: there is no workload"));
    CHECK(has(workloads_error(columns + ",1,minimize,,\n"), "file.csv:2: the workload has no name"));
    CHECK(has(workloads_error(columns + "w,nan,minimize,,\n"), "file.csv:2: 'nan' in the column 'target'"));
    CHECK(has(workloads_error(columns + "w,1,min,,\n"), "file.csv:2: the goal is 'min'; write minimize or maximize"));
    CHECK(has(workloads_error(columns + "w,1,minimize,0,\n"), "file.csv:2: max_seconds is not above 0"));
    CHECK(has(workloads_error(columns + "w,1,minimize,,\nw,2,minimize,,\n"),
              "file.csv:3: the workload 'w' is listed twice"));
    CHECK(has(workloads_error(columns + "w,1,minimize,,\nv,1,minimize,,x\n"), "file.csv:3: the base 'x' is not a"));
    CHECK(has(workloads_error(columns + "w,1,minimize,,v\nv,1,minimize,,u\nu,1,minimize,,\n"),
              "file.csv:2: the base 'v' is itself a variant"));
}

TEST_CASE("curves are sorted into submissions, workloads, studies and trials, even if their rows are mixed") {
    const auto submissions = curves(
        "trial,extra,value,submission,workload,study,seconds\n"
        "1,x,0.5,b,w,1,10\n"
        "1,x,0.6,a,w,1,10\n"
        "2,x,0.7,b,w,1,5\n"
        "1,x,0.8,b,w,1,10\n"  // at the same time as before: allowed
        "1,x,0.9,b,w,2,20\n");

    REQUIRE(submissions.size() == 2);
    CHECK(submissions[0].name == "a");
    REQUIRE(submissions[1].studies.size() == 1);
    REQUIRE(submissions[1].studies[0].size() == 2);
    CHECK(submissions[1].studies[0][0].size() == 2);  // study 1 has two trials
    CHECK(analysis::time_to_target(submissions[1].studies[0][0], {.loss = -0.8}) == 10);
    CHECK(analysis::time_to_target(submissions[1].studies[0][1], {.loss = -0.8}) == 20);
}

TEST_CASE("names that are the same when joined stand for different trials") {
    // "a" + "bc" and "ab" + "c". As a single trial, its time would run backwards.
    CHECK(curves(header + "s,w,a,bc,10,0.5\ns,w,ab,c,5,0.5\n").front().studies[0].size() == 2);
}

TEST_CASE("mistakes in curves are reported with their line") {
    CHECK(has(curves_error("submission,workload,study,trial,seconds\n"), "file.csv:1: there is no column 'value'"));
    CHECK(has(curves_error(header), "file.csv:1: there is no curve"));
    CHECK(has(curves_error(header + "s,w,1,1,10,0.5\ns,w,1,1,9,0.6\n"), "file.csv:3: time runs backwards: 9 seconds"));
    CHECK(has(curves_error(header + "s,w,1,1,10,0.5\ns,w,1,2,5,0.5\ns,w,1,1,9,0.6\n"), "file.csv:4: time runs back"));
    CHECK(has(curves_error(header + "s,w,1,1,10,nan\n"), "file.csv:2: 'nan' in the column 'value' is not a finite"));
    CHECK(has(curves_error(header + "s,w,1,1,NaN,1\n"), "file.csv:2: 'NaN' in the column 'seconds' is not a finite"));
    CHECK(has(curves_error(header + "s,w,1,1,-1,1\n"), "file.csv:2: the seconds are negative"));
    CHECK(has(curves_error(header + "s,v,1,1,1,1\n"), "file.csv:2: the workload 'v' is not in the file of workloads"));
    CHECK(has(curves_error(header + ",w,1,1,1,1\n"), "file.csv:2: the submission has no name"));
    CHECK(has(curves_error(header + "s,w,1,1,1\n"), "file.csv:2: the line has 5 fields but the first line has 6"));
}

TEST_CASE("a price for one workload replaces the price for all workloads") {
    const Prices prices(TextFile("submission,usd_per_hour,workload\na,2,\na,3.5,w\nb,7,w\n").path());

    CHECK(prices.per_hour("a", "v") == 2.0);
    CHECK(prices.per_hour("a", "w") == 3.5);
    CHECK(prices.per_hour("a") == 2.0);
    CHECK(prices.per_hour("b", "w") == 7.0);
    CHECK_FALSE(prices.per_hour("b", "v"));
    CHECK_FALSE(prices.per_hour("c", "w"));
    CHECK(Prices(TextFile("usd_per_hour,submission\n2,a\n").path()).per_hour("a", "w") == 2.0);
}

TEST_CASE("mistakes in prices are reported with their line") {
    const auto error = [](const std::string& text) { return error_of([&] { Prices{TextFile(text).path()}; }); };

    CHECK(has(error("submission,price\n"), "file.csv:1: there is no column 'usd_per_hour'"));
    CHECK(has(error("submission,usd_per_hour\na,-1\n"), "file.csv:2: the price is negative"));
    CHECK(has(error("submission,usd_per_hour\na,1\na,1\n"), "file.csv:3: 'a' already has a price"));
}
