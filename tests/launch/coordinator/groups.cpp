#include "launch/coordinator/groups.hpp"

#include <doctest/doctest.h>

using namespace crescendo;
using namespace crescendo::launch;

namespace {

constexpr TrialId trial{7};

Group group_of(std::vector<SlotId> slots, int generation = 0) { return {std::move(slots), generation, {}}; }

using Slots = std::vector<SlotId>;

}  // namespace

TEST_CASE("a worker that is not in the next group counts as leaving until it reports that it has left") {
    Groups groups;
    groups.form(trial, group_of({SlotId{0}, SlotId{1}, SlotId{2}}));

    CHECK(groups.form(trial, group_of({SlotId{1}, SlotId{3}}, 1)) == Slots{SlotId{0}, SlotId{2}});
    CHECK(groups.members(trial) == Slots{SlotId{1}, SlotId{3}});
    CHECK(groups.is_leaving(trial));
    groups.note_departure(trial, SlotId{0});
    CHECK(groups.is_leaving(trial));
    groups.note_departure(trial, SlotId{2});
    CHECK_FALSE(groups.is_leaving(trial));
}

TEST_CASE("a trial is at work until its last worker has left") {
    Groups groups;
    groups.form(TrialId{1}, group_of({SlotId{0}, SlotId{1}}));
    groups.form(TrialId{2}, group_of({SlotId{2}}));
    groups.dismiss(TrialId{1});
    groups.note_departure(TrialId{1}, SlotId{0});
    CHECK(groups.at_work() == std::set{TrialId{1}, TrialId{2}});
    groups.note_departure(TrialId{1}, SlotId{1});
    CHECK(groups.at_work() == std::set{TrialId{2}});
}

TEST_CASE("a worker that died is neither a member nor leaving") {
    Groups groups;
    groups.form(trial, group_of({SlotId{0}, SlotId{1}}));
    groups.note_death(trial, SlotId{0});

    CHECK(groups.members(trial) == Slots{SlotId{1}});
    CHECK(groups.form(trial, group_of({SlotId{1}}, 1)).empty());
    groups.note_death(trial, SlotId{1});
    CHECK_FALSE(groups.has(trial));
    CHECK_FALSE(groups.is_anybody_leaving());
}

TEST_CASE("a member that was called back while it left stays a member when it reports that it has left") {
    Groups groups;
    groups.form(trial, group_of({SlotId{0}, SlotId{1}}));
    groups.form(trial, group_of({SlotId{0}}, 1));
    groups.form(trial, group_of({SlotId{0}, SlotId{1}}, 2));

    groups.note_departure(trial, SlotId{1});

    CHECK(groups.is_member(trial, SlotId{1}));
    CHECK_FALSE(groups.is_leaving(trial));
}

TEST_CASE("a group is held back until the last member of its predecessor has left") {
    Groups groups;
    groups.form(trial, group_of({SlotId{0}, SlotId{1}}));
    groups.dismiss(trial);
    groups.hold_back(trial, group_of({SlotId{0}, SlotId{1}}, 1));
    groups.hold_back(trial, group_of({SlotId{1}}, 2));  // it lost a worker meanwhile

    groups.note_departure(trial, SlotId{0});
    CHECK_FALSE(groups.take_ready());
    groups.note_departure(trial, SlotId{1});

    const auto ready = groups.take_ready();
    REQUIRE(ready);
    CHECK(ready->trial == trial);
    CHECK(ready->group.generation == 2);
    CHECK_FALSE(groups.take_ready());
}

TEST_CASE("a restart begins when it is first decided, and is taken once") {
    Groups groups;
    groups.form(trial, group_of({SlotId{0}}));
    groups.dismiss(trial);
    groups.hold_back(trial, group_of({SlotId{0}, SlotId{1}}, 1), 5.0);
    groups.hold_back(trial, group_of({SlotId{1}}, 2), 6.0);  // it lost a worker meanwhile

    groups.note_departure(trial, SlotId{0});
    const auto ready = groups.take_ready();
    REQUIRE(ready);
    CHECK(ready->decided == 5.0);
    groups.form(trial, ready->group);
    groups.note_restart(trial, {5.0, 7.0});

    const auto restart = groups.take_restart(trial);
    REQUIRE(restart);
    CHECK(restart->started == 7.0);
    CHECK_FALSE(groups.take_restart(trial));
}

TEST_CASE("a dismissed trial no longer holds back a group") {
    Groups groups;
    groups.form(trial, group_of({SlotId{0}}));
    groups.dismiss(trial);
    groups.hold_back(trial, group_of({SlotId{0}}, 1));

    CHECK(groups.dismiss(trial).empty());

    groups.note_departure(trial, SlotId{0});
    CHECK_FALSE(groups.take_ready());
}

TEST_CASE("lost slots take their workers with them, including those that leave and those that would join") {
    Groups groups;
    groups.form(trial, group_of({SlotId{0}, SlotId{1}}));
    groups.form(TrialId{8}, group_of({SlotId{2}}));
    groups.dismiss(TrialId{8});
    groups.hold_back(TrialId{8}, group_of({SlotId{1}, SlotId{2}}, 1));
    groups.form(TrialId{9}, group_of({SlotId{1}}));
    groups.hold_back(TrialId{10}, group_of({SlotId{1}, SlotId{3}}, 1));

    groups.lose({SlotId{1}, SlotId{2}});

    CHECK(groups.trials() == std::vector{trial});
    CHECK(groups.members(trial) == Slots{SlotId{0}});
    CHECK_FALSE(groups.is_anybody_leaving());
    CHECK_FALSE(groups.is_held_back(TrialId{8}));
    CHECK(groups.is_held_back(TrialId{10}));  // on slot 3
}

TEST_CASE("a regrouped trial resumes work once, and only in its present generation") {
    Groups groups;
    groups.form(trial, group_of({SlotId{0}}));
    CHECK_FALSE(groups.note_formed(trial, 0));  // it was not regrouped

    groups.form(trial, group_of({SlotId{0}, SlotId{1}}, 1));
    groups.note_regrouping(trial);

    CHECK_FALSE(groups.note_formed(trial, 0));
    CHECK(groups.note_formed(trial, 1));
    CHECK_FALSE(groups.note_formed(trial, 1));
}

TEST_CASE("a new group has neither the regroup nor the restart of the one before") {
    Groups groups;
    groups.form(trial, group_of({SlotId{0}}));
    groups.note_regrouping(trial);
    groups.note_restart(trial, {5.0, 7.0});

    groups.form(trial, group_of({SlotId{0}}, 1));

    CHECK_FALSE(groups.note_formed(trial, 1));
    CHECK_FALSE(groups.take_restart(trial));
}

TEST_CASE("all members are stranded when each has reported so for the present generation") {
    Groups groups;
    groups.form(trial, group_of({SlotId{0}, SlotId{1}}, 3));

    CHECK_FALSE(groups.note_stranded(trial, SlotId{0}, 3));
    CHECK_FALSE(groups.note_stranded(trial, SlotId{0}, 3));
    CHECK_FALSE(groups.note_stranded(trial, SlotId{1}, 2));
    CHECK_FALSE(groups.note_stranded(trial, SlotId{5}, 3));
    CHECK(groups.note_stranded(trial, SlotId{1}, 3));
    CHECK(groups.num_strandings(trial) == 1);

    groups.form(trial, group_of({SlotId{0}, SlotId{1}}, 3));
    CHECK_FALSE(groups.note_stranded(trial, SlotId{1}, 3));
    CHECK(groups.note_stranded(trial, SlotId{0}, 3));
    CHECK(groups.num_strandings(trial) == 2);
    groups.note_report(trial);
    CHECK(groups.num_strandings(trial) == 0);
}
