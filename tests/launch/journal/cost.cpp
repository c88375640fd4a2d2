#include "launch/journal/cost.hpp"

#include <doctest/doctest.h>

#include "tests/launch/coordinator/stage.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::Stage;

namespace {

/// Two slots on node 0 and one on node 1, with one trial to run: it holds a slot for an hour, then node 1 is lost, and
/// it runs for another half hour.
struct Told {
    Told() {
        for (const auto* record :
             {R"({"note":"session","time":1000,"host":"h","slots":3})",
              R"({"event":"slots_joined","time":1000,"slots":[{"slot":0,"node":0},{"slot":1,"node":0},)"
              R"({"slot":2,"node":1}]})",
              R"({"event":"trial_reported","time":4600,"trial":0,"resource":1,"loss":0.5,"metrics":{"loss":0.5}})",
              R"({"event":"slots_lost","time":4600,"slots":[2]})",
              R"({"event":"trial_finished","time":6400,"trial":0})"}) {
            history.apply(Json::parse(record));
        }
    }

    Stage stage{"run_cap: 1\n", "{type: fifo, max: 4}"};
    History& history = stage.history;
};

}  // namespace

TEST_CASE("slots that no trial held count as idle") {
    const Told told;

    REQUIRE(told.history.sweep().state() == SweepState::finished);
    CHECK(told.history.slot_seconds() == 1.5 * 3600);
    CHECK(told.history.slot_seconds_had() == 4 * 3600);  // 3 for an hour, 2 for half an hour
    CHECK(told.history.idle_slot_seconds() == 2.5 * 3600);
    CHECK(told.history.node_seconds_had() == 2.5 * 3600);
}

TEST_CASE("no slot idles after the end of the sweep or between sessions") {
    Told told;

    told.history.apply(Json::parse(R"({"note":"tested","time":9999,"trial":0,"metrics":{"loss":0.5}})"));
    told.history.apply(Json::parse(R"({"note":"session","time":99999,"host":"h","slots":3})"));

    CHECK(told.history.slot_seconds_had() == 4 * 3600);
    CHECK(told.history.node_seconds_had() == 2.5 * 3600);
}

TEST_CASE("only nodes of the present session count, although slots of another one had the same numbers") {
    Stage stage("run_cap: 1\n", "{type: fifo, max: 4}");
    for (const auto* record :
         {R"({"note":"session","time":0,"host":"h","slots":2})",
          R"({"event":"slots_joined","time":0,"slots":[{"slot":0,"node":0},{"slot":1,"node":1}]})",
          R"({"event":"slots_lost","time":0,"slots":[0,1]})", R"({"note":"session","time":0,"host":"h","slots":2})",
          R"({"event":"slots_joined","time":0,"slots":[{"slot":0,"node":0},{"slot":1,"node":0}]})",
          R"({"note":"time","time":3600})"}) {
        stage.history.apply(Json::parse(record));
    }

    CHECK(stage.history.node_seconds_had() == 3600);
}

TEST_CASE("a slot-hour has its own price or a share of the nodes' price") {
    const Told told;

    CHECK_FALSE(price_of_slot_hour({}, told.history).has_value());
    CHECK(price_of_slot_hour(Price{0.9, Price::Unit::slot}, told.history) == 0.9);
    CHECK(price_of_slot_hour(Price{8, Price::Unit::node}, told.history) == 5);  // 2.5 node-hours for 4 slot-hours
    CHECK_FALSE(price_of_slot_hour(Price{8, Price::Unit::node}, Stage("run_cap: 1\n").history).has_value());
}

TEST_CASE("energy adds up over nodes and sessions, and a trial has the energy of its GPUs") {
    Told told;
    auto& history = told.history;
    CHECK_FALSE(history.energy().cpus.has_value());
    const auto use = [&](int node, const std::string& host, double cpus) {
        history.apply(energy_note(7000, {NodeId{node}, host, true, cpus, true, {{TrialId{0}, 3.0}}, 0.5}));
    };

    use(0, "a", 10);
    use(1, "b", 20);
    use(2, "a", 11);  // another agent there measures the same processors
    use(0, "a", 5);
    history.apply(energy_note(7000, {.node = NodeId{3}, .host = "c"}));

    CHECK(history.energy().cpus == 35.0);
    CHECK(history.energy().gpus == 4 * 3.5);
    CHECK(history.of(TrialId{0}).gpu_joules == 4 * 3.0);

    history.apply(session_note(8000, "a", 1));
    use(2, "a", 7);  // in this session the first agent there
    CHECK(history.energy().cpus == 42.0);
}
