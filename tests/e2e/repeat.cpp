/// Sweeps that train each configuration several times.

#include <doctest/doctest.h>

#include <map>

#include "tests/contains.hpp"
#include "tests/e2e/command.hpp"

using namespace crescendo::tests;

namespace {

/// Its loss depends on x, the step and the repetition: repetition 2 has the most luck. Its checkpoint is its last step.
/// It begins once the file "go" exists.
const std::string lucky_program = R"(
saved=$CRESCENDO_TRIAL_DIR/saved
x=${1#--x=}
step=$(cat $saved 2>/dev/null || echo 0)
while [ ! -e go ]; do read -t 0.05 -r reply <&$CRESCENDO_FD && exit 0; done
while ((step < CRESCENDO_MAX_RESOURCE)); do
  echo $((++step)) > $saved
  echo "{\"resource\": $step, \"metrics\": {\"loss\": $x.$((9 - step - CRESCENDO_TRIAL % 3))}}" >&$CRESCENDO_FD
  read -r reply <&$CRESCENDO_FD || exit 0
  [[ $reply == *stop* ]] && exit 0
done
exit 0
)";

struct Sweep {
    explicit Sweep(const std::string& more, const std::string& scheduler = "asha") {
        write_file(folder / "train.sh", lucky_program);
        write_file(folder / "sweep.yaml", "name: s\nmetric: {name: loss}\nparameters: {x: {min: 1, max: 1000}}\n"
                                          "command: [bash, train.sh, \"${args}\"]\nscheduler: {type: " +
                                              scheduler + ", min: 1, max: 4, reduction_factor: 2}\n" + more);
    }

    void let_go() const { write_file(folder / "go", ""); }
    Result ask(const std::vector<std::string>& arguments) const { return run_crescendo(folder.path(), arguments); }
    Json json(const std::string& verb) const { return ask({verb, "s", "--format", "json"}).json(); }
    int num_differences() const {
        return ask({"simulate", "--replay", "s", "--format", "json"}).json().at("differences");
    }

    /// Repetitions have one configuration, end together, and are judged by the same value.
    void check_siblings(int times, int num_configurations) const {
        const auto trials = json("trials");
        REQUIRE(trials.size() == static_cast<std::size_t>(times * num_configurations));
        for (std::size_t i = 0; i < trials.size(); ++i) {
            CAPTURE(i);
            const auto& trial = trials[i];
            const auto& first = trials[i - i % static_cast<std::size_t>(times)];
            CHECK(trial.at("configuration") == static_cast<int>(i) / times);
            CHECK(trial.at("repetition") == static_cast<int>(i) % times);
            for (const auto* column : {"x", "status", "resource", "judged", "reason"}) {
                CHECK(trial.at(column) == first.at(column));
            }
        }
    }

    TemporaryFolder folder;
};

}  // namespace

TEST_CASE("each configuration is trained by three trials on one slot, and the best mean wins") {
    const Sweep sweep("run_cap: 3\nslots: 1\nrepeat: 3\n");
    sweep.let_go();
    CHECK(contains(sweep.ask({"validate", "sweep.yaml"}).out, "3 configurations, 3 trials each"));

    CHECK(sweep.ask({"run", "sweep.yaml"}).code == 0);

    sweep.check_siblings(3, 3);
    std::map<double, int> means;
    for (const auto& trial : sweep.json("trials")) {
        means[trial.at("judged")] = trial.at("configuration");
    }
    const auto best = sweep.json("best");
    CHECK(best.at("configuration") == means.begin()->second);
    CHECK(best.at("judged") == means.begin()->first);
    CHECK(best.at("judge") == "mean");
    CHECK(best.at("repetition") == 2);  // it has the most luck
    CHECK(sweep.json("status").at("best").at("judge") == "mean of 3");
    CHECK(content_of(sweep.folder / "s/results.csv").starts_with("trial,status,resource,workers,loss,judged,"));
    CHECK(contains(sweep.ask({"trial", "s", "4"}).out, "1 of configuration 1, judged by "));
    CHECK(sweep.ask({"report", "s"}).code == 0);
    CHECK(sweep.num_differences() == 0);
}

TEST_CASE("an interrupted sweep with repetitions continues as if it had not been interrupted") {
    const Sweep sweep("run_cap: 2\nslots: 2\nrepeat: {times: 3, judge: worst}\n");
    Command run(sweep.folder.path(), {"run", "sweep.yaml"});
    await("trials run", [&] { return fs::exists(sweep.folder / "s/trials/000001"); });
    run.signal(SIGTERM);
    REQUIRE(run.wait() == 75);
    sweep.let_go();

    CHECK(sweep.ask({"resume", "s"}).code == 0);

    sweep.check_siblings(3, 2);
    CHECK(sweep.json("best").at("repetition") == 2);
    CHECK(sweep.json("best").at("judge") == "worst");
    CHECK(sweep.num_differences() == 0);
    CHECK(sweep.ask({"resume", "s", "--run-cap", "3"}).code == 0);
    sweep.check_siblings(3, 3);
}

TEST_CASE("a stop request stops a trial and its siblings, and enqueue adds a whole configuration") {
    const Sweep sweep("run_cap: 3\nslots: 2\nrepeat: 3\n", "fifo");
    Command run(sweep.folder.path(), {"run", "sweep.yaml"});
    await("trials run", [&] { return fs::exists(sweep.folder / "s/trials/000001"); });

    CHECK(sweep.ask({"enqueue", "s", "x=7"}).out == "trial 3 will begin with x=7\n");
    CHECK(sweep.ask({"stop", "s", "1"}).out == "trial 1 stops, with the other repetitions of configuration 0\n");
    sweep.let_go();
    CHECK(run.wait() == 0);

    sweep.check_siblings(3, 3);
    const auto trials = sweep.json("trials");
    for (std::size_t id = 0; id < 3; ++id) {
        CHECK(trials[id].at("reason") == "requested");
        CHECK(trials[id + 3].at("x") == 7);
    }
    CHECK(sweep.num_differences() == 0);
}

TEST_CASE("a sweep with repetitions can be simulated") {
    const Sweep sweep("run_cap: 9\nrepeat: 3\n");

    const auto result = sweep.ask({"simulate", "sweep.yaml", "--slots", "2", "--format", "json"});

    REQUIRE(result.code == 0);
    CHECK(result.json().at("trials") == 27);
}

TEST_CASE("another launcher trains repetitions like any other trials") {
    const Sweep sweep("run_cap: 1\nrepeat: 2\n");
    const std::string report = R"({"event":"trial_reported","trial":0,"resource":1,"metrics":{"loss":0.5}})";
    write_file(sweep.folder / "events", R"({"event":"slots_joined","slots":1})" "\n" + report + "\n");

    const auto command = "cd '" + sweep.folder.path().string() + "' && " + CRESCENDO_BINARY +
                         " ask-tell sweep.yaml < events > answers";
    REQUIRE(std::system(command.c_str()) == 0);

    std::ifstream answers(sweep.folder / "answers");
    std::string line;
    std::getline(answers, line);
    const auto first = Json::parse(line).at("actions");
    REQUIRE(first.size() == 1);
    std::getline(answers, line);
    const auto second = Json::parse(line).at("actions");
    REQUIRE(second.size() == 2);
    CHECK(second[0].at("action") == "pause_trial");
    CHECK(second[1].at("action") == "start_trial");
    CHECK(second[1].at("trial") == 1);
    CHECK(second[1].at("config") == first[0].at("config"));
}
