#include "scheduler/sweep/demand.hpp"

#include <doctest/doctest.h>

#include "tests/scheduler/script.hpp"

using namespace crescendo;

namespace {

/// Groups of 1, 2, 4, … workers. The slots exist but belong to no trial.
struct Books {
    explicit Books(int num_slots, const SchedulerSpec& scheduler = with_surplus())
        : allocator(scheduler), demand(scheduler) {
        allocator.join(slots(0, num_slots));
    }

    static SchedulerSpec with_surplus() {
        auto scheduler = spec_of(/*run_cap=*/9, /*max=*/16).scheduler;
        scheduler.surplus = Switch::on;
        return scheduler;
    }

    Allocator allocator;
    Demand demand;

    void update(const Trial& trial) { demand.update(trial, allocator); }

    int num_spare(const Trial& trial) const {
        int count = 0;
        while (demand.can_spare(count + 1, trial, allocator)) {
            ++count;
        }
        return count;
    }
};

Trial running(int id, int rungs_survived, int size, double loss = 0.5) {
    Trial trial;
    trial.id = TrialId{id};
    trial.rungs_survived = rungs_survived;
    trial.loss = loss;
    trial.group.slots.resize(static_cast<std::size_t>(size));
    return trial;
}

}  // namespace

TEST_CASE("the demand counts the workers that running trials lack for their rungs") {
    Books books{8};
    books.update(running(0, /*rungs_survived=*/2, /*size=*/1));
    books.update(running(1, /*rungs_survived=*/1, /*size=*/2));

    CHECK(books.demand.num_missing() == 3);  // 4 - 1, 2 - 2
    CHECK(books.demand.num_missing_besides(TrialId{0}) == 0);
    CHECK(books.demand.num_missing_besides(TrialId{1}) == 3);
    CHECK(books.demand.num_missing_besides(TrialId{7}) == 3);
}

TEST_CASE("updating a trial twice changes nothing") {
    Books books{8};
    const auto trial = running(0, 2, 1);
    books.update(trial);
    books.update(trial);

    CHECK(books.demand.num_missing() == 3);
}

TEST_CASE("an update replaces the earlier count of the trial") {
    Books books{8};
    auto trial = running(0, 2, 1);
    books.update(trial);
    trial.group.slots.resize(2);
    books.update(trial);
    CHECK(books.demand.num_missing() == 2);

    trial.transition(TrialStatus::waiting);
    books.update(trial);
    books.update(trial);
    CHECK(books.demand.num_missing() == 0);
}

TEST_CASE("the other trials stay counted when some stop running, in any order") {
    Books books{8};
    std::vector<Trial> trials;
    for (int id = 0; id < 4; ++id) {
        trials.push_back(running(id, id, 1));
        books.update(trials.back());
    }
    CHECK(books.demand.num_missing() == 0 + 1 + 3 + 7);

    for (const int id : {1, 3, 0}) {
        trials[static_cast<std::size_t>(id)].transition(TrialStatus::paused);
        books.update(trials[static_cast<std::size_t>(id)]);
    }
    CHECK(books.demand.num_missing() == 3);
}

TEST_CASE("joined or lost slots change the number of missing workers") {
    auto scheduler = Books::with_surplus();
    scheduler.max_workers = 8;
    Books books{2, scheduler};
    books.update(running(0, 3, 1));
    CHECK(books.demand.num_missing() == 1);

    books.allocator.join(slots(2, 6));
    books.demand.recount(books.allocator);
    CHECK(books.demand.num_missing() == 7);

    books.allocator.lose({SlotId{7}});
    books.demand.recount(books.allocator);
    CHECK(books.demand.num_missing() == 3);
}

TEST_CASE("slots are surplus if no trial is short of them and no better survivor would take them") {
    Books books{16};
    const auto best = running(0, 2, 4, 0.9);    // of a higher rung; would take 4 more
    const auto better = running(1, 1, 2, 0.1);  // would take 2 more
    const auto last = running(2, 1, 2, 0.3);
    const auto hungry = running(3, 2, 1, 0.9);  // is short of 3
    for (const auto& trial : {best, better, last}) {
        books.update(trial);
    }

    CHECK(books.num_spare(best) == 16);
    CHECK(books.num_spare(better) == 12);
    CHECK(books.num_spare(last) == 10);

    books.update(hungry);
    CHECK(books.num_spare(best) == 13);
}

TEST_CASE("a better survivor that cannot double leaves the spare slots to others") {
    auto scheduler = Books::with_surplus();
    scheduler.max_workers = 8;
    Books books{3, scheduler};
    books.update(running(0, 1, 4, 0.1));  // would take 4 of 3

    CHECK(books.num_spare(running(1, 1, 2, 0.2)) == 3);
}

TEST_CASE("a trial's own earlier count does not reduce its spare slots") {
    Books books{8};
    books.update(running(0, 1, 2, 0.1));

    CHECK(books.num_spare(running(0, 1, 2, 0.9)) == 8);
}

TEST_CASE("demand is counted only if a setting uses it") {
    auto scheduler = Books::with_surplus();
    scheduler.surplus = Switch::off;
    Books books{8, scheduler};
    books.update(running(0, 2, 1));
    CHECK(books.demand.num_missing() == 0);

    scheduler.priority = Priority::promotions_first;
    Books reserving{8, scheduler};
    reserving.update(running(0, 2, 1));
    CHECK(reserving.demand.num_missing() == 3);
}
