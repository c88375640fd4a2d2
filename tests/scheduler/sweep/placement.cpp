#include "scheduler/sweep/placement.hpp"

#include <doctest/doctest.h>

#include "tests/scheduler/script.hpp"

using namespace crescendo;

namespace {

/// A placement and the trials that it places. No trial is ever paused, so none may be promoted.
struct Cluster {
    explicit Cluster(int num_slots, const SchedulerSpec& scheduler = spec_of(9, 16).scheduler)
        : placement(scheduler), schedulers(spec_of(9, 16)) {
        placement.join(slots(0, num_slots));
    }

    Placement placement;
    AnyScheduler schedulers;
    std::vector<Trial> trials;
    bool can_start = false;

    Prospects prospects() const { return {schedulers, trials, can_start}; }

    bool start(int id) {
        Trial trial;
        trial.id = TrialId{id};
        trial.target_workers = placement.target_workers(0);
        if (!placement.can_place() || !placement.take_slots_for_new(trial)) {
            return false;
        }
        placement.note_running(trial);
        trials.push_back(trial);
        return true;
    }

    Trial& survive(int id, int rungs) {
        auto& trial = trials.at(static_cast<std::size_t>(id));
        trial.rungs_survived = rungs;
        trial.target_workers = placement.target_workers(rungs);
        trial.loss = 0.5;
        return trial;
    }

    void wait(int id) {
        auto& trial = trials.at(static_cast<std::size_t>(id));
        trial.transition(TrialStatus::waiting);
        placement.leave(trial);
        placement.enter_line(trial);
    }
};

std::size_t size_of(const Trial& trial) { return trial.group.slots.size(); }

}  // namespace

TEST_CASE("trials start while there are slots and max_concurrent allows it") {
    auto scheduler = spec_of(9, 16).scheduler;
    scheduler.max_concurrent = 2;
    Cluster cluster{3, scheduler};

    CHECK(cluster.start(0));
    CHECK(cluster.start(1));
    CHECK_FALSE(cluster.start(2));

    cluster.placement.change_max_concurrent(5);
    CHECK(cluster.start(2));
    CHECK_FALSE(cluster.start(3));
    CHECK(cluster.placement.num_running() == 3);
    CHECK(cluster.placement.pool().num_free() == 0);
}

TEST_CASE("with promotions_first, new trials leave free the slots that running trials lack") {
    auto scheduler = spec_of(9, 16).scheduler;
    scheduler.priority = Priority::promotions_first;
    scheduler.max_workers = 4;
    Cluster cluster{4, scheduler};
    cluster.start(0);
    cluster.start(1);
    cluster.placement.adapt(cluster.survive(1, 0), false, cluster.prospects());
    auto& survivor = cluster.survive(0, 1);
    survivor.group.slots.resize(1);
    cluster.placement.leave(survivor);  // as if it resumed with fewer slots than it is due
    cluster.placement.take_slots(survivor, 0);
    cluster.placement.note_running(survivor);

    CHECK(cluster.placement.pool().num_free() == 2);
    CHECK(cluster.start(2));  // one of two free slots is kept for the survivor
    CHECK_FALSE(cluster.start(3));
}

TEST_CASE("trials that survived the most rungs are first in line, then lower ids") {
    Cluster cluster{4};
    for (int id = 0; id < 4; ++id) {
        cluster.start(id);
    }
    cluster.survive(2, 1);
    CHECK_FALSE(cluster.placement.first_waiting());
    CHECK_FALSE(cluster.placement.next_in_line(cluster.prospects()));

    for (const int id : {1, 0, 2}) {
        cluster.wait(id);
    }
    CHECK(cluster.placement.first_waiting() == TrialId{2});
    cluster.placement.leave_line(cluster.trials[2]);
    CHECK(cluster.placement.next_in_line(cluster.prospects())->trial == TrialId{0});
}

TEST_CASE("a trial that survives a rung goes before waiting trials unless they have survived more rungs") {
    Cluster cluster{2};
    cluster.start(0);
    cluster.start(1);
    cluster.survive(0, 1);
    cluster.wait(0);

    CHECK_FALSE(cluster.placement.would_be_next(cluster.survive(1, 0), cluster.prospects()));
    CHECK(cluster.placement.would_be_next(cluster.survive(1, 1), cluster.prospects()));
}

TEST_CASE("a survivor grows into free slots at its report") {
    Cluster cluster{4};
    cluster.start(0);

    CHECK(cluster.placement.adapt(cluster.survive(0, 1), true, cluster.prospects()) == GroupChange::regrouped);
    CHECK(size_of(cluster.trials[0]) == 2);
    CHECK(cluster.trials[0].group.generation == 1);
    CHECK(cluster.trials[0].group.batch.multiple == 2);
    CHECK(cluster.placement.adapt(cluster.trials[0], false, cluster.prospects()) == GroupChange::none);
}

TEST_CASE("with grow: wait, a survivor leaves its slots only at the milestone") {
    auto scheduler = spec_of(9, 16).scheduler;
    scheduler.grow = GrowPolicy::wait;
    Cluster cluster{2, scheduler};
    cluster.start(0);
    cluster.start(1);

    CHECK(cluster.placement.adapt(cluster.survive(0, 1), false, cluster.prospects()) == GroupChange::none);
    CHECK(cluster.placement.adapt(cluster.trials[0], true, cluster.prospects()) == GroupChange::leaves);
}

TEST_CASE("with shrink: on, a group gives back the slots that a trial in line needs") {
    auto scheduler = spec_of(9, 16).scheduler;
    scheduler.shrink = Switch::on;
    scheduler.surplus = Switch::on;
    Cluster cluster{4, scheduler};
    cluster.start(0);
    cluster.placement.adapt(cluster.survive(0, 1), true, cluster.prospects());
    cluster.placement.adapt(cluster.trials[0], false, cluster.prospects());
    REQUIRE(size_of(cluster.trials[0]) == 4);  // 2 of them surplus

    cluster.can_start = true;
    CHECK(cluster.placement.adapt(cluster.trials[0], false, cluster.prospects()) == GroupChange::regrouped);
    CHECK(size_of(cluster.trials[0]) == 2);
}

TEST_CASE("a group continues without the workers that it loses, as long as one is left") {
    Cluster cluster{2};
    cluster.start(0);
    auto& trial = cluster.survive(0, 1);
    cluster.placement.adapt(trial, true, cluster.prospects());
    REQUIRE(size_of(trial) == 2);

    CHECK(cluster.placement.remove_workers(trial, {SlotId{0}}));
    CHECK(trial.group.slots == std::vector{SlotId{1}});
    CHECK(trial.group.generation == 2);
    CHECK_FALSE(cluster.placement.remove_workers(trial, {SlotId{0}, SlotId{1}}));
    CHECK(trial.group.slots == std::vector{SlotId{1}});
}

TEST_CASE("slots that a trial returns or leaves become free") {
    Cluster cluster{2};
    Trial trial;
    cluster.placement.take_slots(trial, 0);
    CHECK(cluster.placement.pool().num_free() == 1);
    cluster.placement.return_slots(trial);
    CHECK(cluster.placement.pool().num_free() == 2);

    cluster.start(0);
    cluster.wait(0);
    CHECK(cluster.placement.pool().num_free() == 2);
    CHECK(cluster.placement.num_running() == 0);
    CHECK(cluster.trials[0].group.slots.empty());
}
