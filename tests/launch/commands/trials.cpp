#include "launch/process/shell.hpp"
#include "tests/launch/commands/old_sweep.hpp"

using namespace crescendo;
using namespace crescendo::tests;

TEST_CASE("trials lists every trial with its parameters and results") {
    const OldSweep sweep;

    const auto trials = sweep.run({"trials", "s", "--format", "json"}).json();

    REQUIRE(trials.size() == 2);
    CHECK(trials[0].at("status") == "finished");
    CHECK(trials[0].at("resource") == 3);
    CHECK(trials[0].at("loss") == 0.6);
    CHECK(trials[0].contains("a"));
    CHECK(trials[1].at("resource") == 1);
    CHECK(trials[0].at("reason") == "completed");
    CHECK(trials[1].at("reason").is_null());
    CHECK(trials[0].at("cost").is_null());
}

TEST_CASE("trials as CSV has one line for each trial below the headings") {
    const OldSweep sweep;

    const auto csv = sweep.run({"trials", "s", "--format", "csv"}).out;

    CHECK(csv.starts_with("trial,status,resource"));
    CHECK(std::count(csv.begin(), csv.end(), '\n') == 3);
}

TEST_CASE("output that finds no room is a failure") {
    const OldSweep sweep;
    const auto line = std::string("exec ") + CRESCENDO_BINARY + " trials s --format csv >/dev/full";

    const auto ran = launch::run_tool({"sh", "-c", "cd " + sweep.folder.path().string() + " && " + line});

    CHECK(ran.code == 1);
    CHECK_MESSAGE(contains(ran.errors, "the output could not be written completely"), ran.errors);
}

TEST_CASE("trials shows what each trial cost if there is a price") {
    const OldSweep sweep;

    const auto trials = sweep.run({"trials", "s", "--price", "slot_hour=2", "--format", "json"}).json();

    CHECK(trials[0].at("slot_hours") > 0.0);
    CHECK(trials[0].at("cost").get<double>() == doctest::Approx(2 * trials[0].at("slot_hours").get<double>()));
}

namespace {

/// Six trials in a grid over x and act. Each reports the score x * r at r = 1 and 2, and x as `judged`.
struct GridSweep {
    GridSweep() {
        write_file(
            folder / "train.sh",
            "read -r x y <<< \"$1 $2\"\n"
            "for r in 1 2; do\n"
            "  echo \"{\\\"resource\\\": $r, \\\"metrics\\\": {\\\"score\\\": $((x * r)), \\\"judged\\\": $x}}\" "
            ">&$CRESCENDO_FD\n"
            "  read -r reply <&$CRESCENDO_FD\n"
            "done\n");
        write_file(folder / "sweep.yaml",
                   "name: s\nmetric: {name: score, goal: maximize}\nmethod: grid\nslots: 1\n"
                   "parameters: {x: {values: [1, 2, 3]}, act: {values: [relu, tanh]}}\n"
                   "scheduler: {type: fifo, max: 2}\ncommand: [bash, train.sh, '${x}', '${act}']\n");
        REQUIRE(run({"run", "sweep.yaml"}).code == 0);
    }

    Result run(const std::vector<std::string>& arguments) const { return run_crescendo(folder.path(), arguments); }

    /// The output of `crescendo trials s --format csv` with these arguments.
    std::string csv(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"trials", "s", "--format", "csv"});
        const auto result = run(arguments);
        CHECK_MESSAGE(result.code == 0, result.err);
        return result.out;
    }

    TemporaryFolder folder;
};

}  // namespace

TEST_CASE("a sweep with the default run_cap can be looked at and continued") {
    const GridSweep sweep;

    CHECK(sweep.run({"status", "s"}).code == 0);
    CHECK(sweep.run({"resume", "s"}).code == 0);
    CHECK(sweep.run({"trials", "s", "--format", "json"}).json().size() == 6);
}

TEST_CASE("trials shows the trials, columns and order that are asked for") {
    const GridSweep sweep;

    CHECK(sweep.csv({"--where", "x >= 2 and status == \"finished\" and act != 'tanh'", "--sort", "score", "--columns",
                     "x,score"}) == "x,score\n3,6\n2,4\n");  // the metric is maximized: the best first
    CHECK(sweep.csv({"--sort", "score:asc,act", "--columns", "x", "--columns", "act", "--limit", "3"}) ==
          "x,act\n1,relu\n1,tanh\n2,relu\n");
    CHECK(sweep.csv({"--sort", "judged", "--columns", "x", "--limit", "1"}) == "x\n1\n");  // trials do not repeat
    CHECK(sweep.csv({"--sort", "act:desc,x", "--columns", "act,x", "--limit", "2"}) == "act,x\ntanh,1\ntanh,2\n");
    CHECK(sweep.csv({"--where", "cost > 0", "--columns", "x"}) == "x\n");  // there is no price
    CHECK(sweep.csv({"--limit", "0", "--columns", "x"}) == "x\n");
    CHECK(sweep.run({"trials", "--columns", "x", "s", "--where", "x in [1, 3] and act == 'relu'", "--format", "json"})
              .json()
              .size() == 2);
}

TEST_CASE("trials says at which character a condition makes no sense, and names unknown columns") {
    const GridSweep sweep;
    const auto error = [&](const std::vector<std::string>& arguments) {
        std::vector<std::string> all{"trials", "s"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        const auto result = sweep.run(all);
        CHECK(result.code == 2);
        CHECK(result.out == "");
        return result.err;
    };

    CHECK(contains(error({"--where", "x > 1 and scor > 2"}),
                   "--where, character 11: there is no scor; put text in quotes (did you mean 'score'?)\n"
                   "  x > 1 and scor > 2\n"
                   "            ^\n"));
    CHECK(contains(error({"--where", "status == 'finshed'"}), "character 11: status is never finshed"));
    CHECK(contains(error({"--where", "x + 1"}), "character 1: this is a whole number, but a condition is true or"));
    CHECK(contains(error({"--where", "1 / (x - 1) > 0"}), "--where, character 3: "));
    CHECK(contains(error({"--where", "x > "}), "--where, character "));
    CHECK(contains(error({"--sort", "scores"}), "--sort: there is no column 'scores' (did you mean 'score'?)"));
    CHECK(contains(error({"--columns", "trial,y"}), "--columns: there is no column 'y'"));
    CHECK(contains(error({"--limit", "-1"}), "--limit"));
    CHECK(contains(error({"--plot", "--format", "csv"}), "--plot draws charts instead of the table"));
}

TEST_CASE("trials and top plot the best value so far and the learning curves") {
    const GridSweep sweep;

    const auto plot = sweep.run({"trials", "s", "--plot", "--where", "act == 'relu'"}).out;
    CHECK(contains(plot, "score, best so far\n       6 ┤"));
    CHECK(contains(plot, "score of each trial (3)\n       6 ┤"));
    CHECK(contains(plot, "       1 ┤"));
    CHECK(contains(plot, "⣀"));

    const auto top = sweep.run({"top", "s", "--plot"}).out;
    CHECK(contains(top, "score of each trial (6)\n"));
    CHECK(top.find("best so far") < top.find("\nrung "));
}
