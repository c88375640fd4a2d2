#include "launch/compare/scores.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "core/check.hpp"
#include "core/random.hpp"
#include "tests/error_of.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::error_of;
using crescendo::tests::TemporaryFolder;

namespace {

/// Times to a target of 1 on the workloads "u" and "v"; 0 means that it is missed.
struct Times {
    std::string submission;
    double u;
    double v;
};

/// One study of one trial for each submission and workload.
std::string rows_of(const std::vector<Times>& all) {
    std::string rows;
    for (const auto& [submission, u, v] : all) {
        for (const auto& [workload, seconds] : {std::pair{"u", u}, std::pair{"v", v}}) {
            const auto key = submission + "," + workload + ",1,1,";
            rows += key + "1,0.5\n";
            if (seconds > 0) {
                rows += key + std::to_string(seconds) + ",1\n";
            }
        }
    }
    return rows;
}

class CurveFiles {
  public:
    CurveFiles(const std::string& rows, const std::string& base_of_v = "", const std::string& limit = "200") {
        std::ofstream(folder_ / "workloads.csv") << "workload,target,goal,max_seconds,base\nu,1,maximize," << limit
                                                 << ",\nv,1,maximize," << limit << "," << base_of_v << "\n";
        std::ofstream(folder_ / "curves.csv") << "submission,workload,study,trial,seconds,value\n" << rows;
        workloads_ = read_workloads(folder_ / "workloads.csv");
        submissions_ = read_curves(folder_ / "curves.csv", workloads_, [](auto, auto) {});
    }

    std::string times(const std::string& prices = "submission,usd_per_hour\n") const {
        std::ofstream(folder_ / "prices.csv") << prices;
        return times_table(submissions_, workloads_, Prices(folder_ / "prices.csv")).print(Format::csv);
    }
    std::string scores(const ScoreOptions& options = {}) const {
        return scores_table(submissions_, workloads_, options).print(Format::csv);
    }

  private:
    TemporaryFolder folder_;
    std::vector<Workload> workloads_;
    std::vector<Submission> submissions_;
};

const std::vector<Times> three{{"a", 10, 100}, {"b", 20, 50}, {"c", 41, 0}};

}  // namespace

TEST_CASE("times and costs to the target are exact, and a miss is a row with empty cells") {
    CHECK(CurveFiles(rows_of(three)).times("submission,usd_per_hour,workload\na,36,\nc,72,\na,3.6,v\n") ==
          "submission,workload,seconds,cost\n"
          "a,u,10,0.1\na,v,100,0.1\n"  // 36 and 3.6 dollars an hour
          "b,u,20,\nb,v,50,\n"         // without a price
          "c,u,41,0.82\nc,v,,\n");
}

TEST_CASE("scores are areas under performance profiles") {
    CHECK(CurveFiles(rows_of(three)).scores() == "submission,score\na,0.8333333333333334\nb,0.8333333333333334\nc,0\n");
}

TEST_CASE("a number of points gives the score by the trapezium rule") {
    const auto scores = CurveFiles(rows_of(three)).scores({.num_points = 100});

    CHECK(scores.find("a,0.83585858") != std::string::npos);
    CHECK(scores.find("b,0.83585858") != std::string::npos);
    CHECK(scores.find("c,0\n") != std::string::npos);
}

TEST_CASE("a larger r_max lets a slow submission count") {
    // c: ratio 4.1 on u, (5 - 4.1) / (2 * 4)
    CHECK(CurveFiles(rows_of(three)).scores({.r_max = 5}).find("c,0.1125") != std::string::npos);
}

TEST_CASE("the time over the baseline counts a miss as one second more than the limit") {
    // a: 10 / 20 and 100 / 50; c: 41 / 20 and 201 / 50, whose geometric mean is sqrt(2.05 * 4.02).
    const auto scores = CurveFiles(rows_of(three)).scores({.baseline = "b"});

    CHECK(scores.starts_with("submission,score,time_over_baseline\na,0.8333333333333334,1\n"));
    CHECK(scores.find("\nb,0.8333333333333334,1\n") != std::string::npos);
    CHECK(scores.find("\nc,0,2.8707141968") != std::string::npos);
}

TEST_CASE("a variant decides whether its base counts, but does not count by itself") {
    // v is a variant of u: c misses it; a takes 100 seconds, twice those of b.
    CHECK(CurveFiles(rows_of(three), "u").scores({.baseline = "a"}) ==
          "submission,score,time_over_baseline\na,1,1\nb,0.6666666666666666,2\nc,0,4.1\n");
}

TEST_CASE("the fastest trial of a study counts, and the median over studies") {
    const CurveFiles files(
        "s,u,1,1,30,1\ns,u,1,2,10,1\n"  // study 1: 10
        "s,u,2,1,50,1\n"                // study 2: 50
        "s,u,3,1,20,0.9\n"              // study 3 misses it
        "s,v,1,1,30,1\ns,v,2,1,10,1\n"  // an even number: (10 + 30) / 2
        "t,u,1,1,30,1\nt,u,2,1,10,0\n"  // 30 and infinity
        "t,v,1,1,201,1\n");             // after max_seconds

    CHECK(files.times() == "submission,workload,seconds,cost\ns,u,50,\ns,v,20,\nt,u,,\nt,v,,\n");
}

TEST_CASE("a submission without a curve for a workload has missed it") {
    CHECK(CurveFiles("s,u,1,1,30,1\n").times() == "submission,workload,seconds,cost\ns,u,30,\ns,v,,\n");
    CHECK(CurveFiles("s,u,1,1,30,1\n").scores() == "submission,score\ns,0.5\n");
}

TEST_CASE("the order of rows does not matter as long as the rows of each trial are in order of time") {
    const std::vector<std::string> rows{"a,u,1,1,10,1\n", "a,u,2,1,20,1\n", "a,v,1,1,100,1\n",
                                        "b,u,1,1,20,1\n", "b,u,1,2,15,1\n", "b,v,1,1,50,1\n"};
    const auto joined = [](const std::vector<std::string>& lines) {
        std::string text;
        for (const auto& line : lines) {
            text += line;
        }
        return text;
    };
    const auto times = CurveFiles(joined(rows)).times();
    const auto scores = CurveFiles(joined(rows)).scores();
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        CounterRandom random(seed, 0);
        auto shuffled = rows;
        for (std::size_t i = shuffled.size() - 1; i > 0; --i) {
            std::swap(shuffled[i], shuffled[random.below(i + 1)]);
        }
        CHECK(CurveFiles(joined(shuffled)).times() == times);
        CHECK(CurveFiles(joined(shuffled)).scores() == scores);
    }
}

TEST_CASE("a baseline has to exist, and a miss needs a limit to be compared") {
    CHECK(error_of([] { CurveFiles(rows_of(three)).scores({.baseline = "d"}); }).find("no submission is named 'd'") !=
          std::string::npos);
    CHECK(error_of([] {
              CurveFiles(rows_of(three), "", "").scores({.baseline = "a"});
          }).find("workload 'v' has no max_seconds") != std::string::npos);
    CHECK(error_of([] { CurveFiles(rows_of(three), "u", "").scores({.baseline = "a"}); }) ==
          "no error");  // only a variant
}
