/// The cost of a sweep, and trials that reach their own end, with the real binaries.

#include <doctest/doctest.h>

#include "tests/e2e/command.hpp"
#include "tests/launch/energy/fake_powercap.hpp"
#include "tests/variable.hpp"

using namespace crescendo::tests;

namespace {

/// A Bash trainer whose loss falls by 1 in each epoch, which takes 10 seconds on its own clock. The loss begins at 9
/// with x=1, and at 19 with x=2. The node's meter reads 7 J from the first trial on.
void write_clocked_sweep(const fs::path& folder) {
    write_file(folder / "train.sh", R"(
x=${1#--x=}
echo 7000000 >powercap/intel-rapl:0/energy_uj
for ((r = 1; r <= CRESCENDO_MAX_RESOURCE; r++)); do
  echo "{\"resource\": $r, \"seconds\": ${r}0, \"metrics\": {\"loss\": $((x * 10 - r))}}" >&$CRESCENDO_FD
  read -r reply <&$CRESCENDO_FD || exit 0
  [[ $reply == *stop* ]] && exit 0
done
)");
    write_file(folder / "sweep.yaml", R"(
name: s
metric: {name: loss}
run_cap: 4
seed: 1
slots: 2
parameters: {x: {values: [1, 2]}}
scheduler: {type: fifo, max: 9}
trial: {target: 5, time: 1m10s}
price: {node_hour: 3600000}
command: [bash, train.sh, "${args}"]
)");
}

}  // namespace

TEST_CASE("trials end at their target or time, and the sweep reports its usage and its cost") {
    const TemporaryFolder folder;
    const Variable meters("CRESCENDO_POWERCAP", folder / "powercap");
    write_zone(folder / "powercap/intel-rapl:0", "package-0", 1'000'000);
    write_clocked_sweep(folder.path());

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK(run.out.find(" idle (cost ") != std::string::npos);
    const auto trials = run_crescendo(folder.path(), {"trials", "s", "--format", "json"}).json();
    REQUIRE(trials.size() == 4);
    double cost = 0;
    for (const auto& trial : trials) {
        const bool is_good = trial.at("x") == 1;
        CHECK(trial.at("status") == "finished");
        CHECK(trial.at("reason") == "reached");
        CHECK(trial.at("resource") == (is_good ? 5 : 7));  // a loss of 5, or 70 seconds
        CHECK(trial.at("seconds") == (is_good ? 50.0 : 70.0));
        CHECK_FALSE(trial.contains("gpu_joules"));
        cost += trial.at("cost").get<double>();
    }
    const auto status = run_crescendo(folder.path(), {"status", "s", "--format", "json"}).json();
    CHECK(status.at("reason") == "all trials are done");
    CHECK(status.at("cpu_joules") == 6.0);
    CHECK_FALSE(status.contains("gpu_joules"));
    // One node for 3600000 an hour, so 1000 a second for its two slots.
    const double slot_hours = status.at("slot_hours").get<double>() + status.at("idle_slot_hours").get<double>();
    CHECK(status.at("cost").get<double>() == doctest::Approx(cost));
    CHECK(cost + status.at("idle_cost").get<double>() == doctest::Approx(slot_hours / 2 * 3'600'000));
    CHECK(status.at("idle_cost") >= 0.0);

    const auto results = content_of(folder / "s/results.csv");
    CHECK(results.find(",reached,") != std::string::npos);
    CHECK(results == run_crescendo(folder.path(), {"trials", "s", "--format", "csv"}).out);
    CHECK(run_crescendo(folder.path(), {"simulate", "--replay", "s"}).code == 0);
}
