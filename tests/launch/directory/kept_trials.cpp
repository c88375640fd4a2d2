#include "launch/directory/kept_trials.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/check.hpp"
#include "core/random.hpp"
#include "scheduler/sweep/sweep.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

Trial trial(int id, TrialStatus status, std::optional<double> loss) {
    Trial made;
    made.id = TrialId{id};
    made.status = status;
    made.loss = loss;
    return made;
}

std::set<TrialId> ids(std::initializer_list<int> numbers) {
    std::set<TrialId> all;
    for (const int number : numbers) {
        all.insert(TrialId{number});
    }
    return all;
}

/// By the definition: all trials that ended without failing, except the best of them.
std::set<TrialId> may_go(const std::vector<Trial>& trials, int num_best) {
    std::vector<std::pair<double, TrialId>> ended;
    for (const auto& each : trials) {
        if (each.status == TrialStatus::stopped || each.status == TrialStatus::finished) {
            ended.emplace_back(each.loss.value_or(worst_loss), each.id);
        }
    }
    std::ranges::sort(ended);
    std::set<TrialId> all;
    for (std::size_t i = 0; i < ended.size(); ++i) {
        if (i >= static_cast<std::size_t>(num_best) || ended[i].first == worst_loss) {
            all.insert(ended[i].second);
        }
    }
    return all;
}

int between(CounterRandom& random, int min, int max) {
    return min + static_cast<int>(random.below(static_cast<std::uint64_t>(max - min) + 1));
}

SweepSpec some_spec(CounterRandom& random) {
    SweepSpec spec;
    spec.metric = "loss";
    spec.seed = random.next();
    spec.run_cap = between(random, 1, 12);
    spec.max_retries = between(random, 0, 1);
    spec.has_time_budget = true;
    spec.scheduler.kind = static_cast<SchedulerKind>(between(random, 0, static_cast<int>(SchedulerKind::median)));
    spec.scheduler.mode = static_cast<Mode>(between(random, 0, 1));
    spec.scheduler.max = Resource{between(random, 1, 9)};
    spec.scheduler.reduction_factor = between(random, 2, 3);
    return problems_of(spec).empty() ? spec : some_spec(random);
}

/// What may happen to a sweep: trials report equal, good, bad and infinite losses, fail, end, are stopped, held,
/// released and retried, slots come and go, the sweep ends and is extended.
Event some_event(CounterRandom& random, const Sweep& sweep) {
    const TrialId id{between(random, 0, std::max(static_cast<int>(sweep.trials().size()) - 1, 0))};
    switch (between(random, 0, 19)) {
        case 0:
            return TrialFailed{id, FailureKind::crash};
        case 1:
            return TrialFinished{id};
        case 2:
            return TrialStopped{id};
        case 3:
            return TrialHeld{id, HoldAt::once};
        case 4:
            return TrialReleased{id};
        case 5:
            return TrialRetried{id};
        case 6:
            return SlotsJoined{{{SlotId{static_cast<int>(random.below(1000))}, NodeId{0}}}};
        case 7:
            return SlotsLost{sweep.slots()};
        case 8: {
            auto limits = limits_of(sweep.spec());
            limits.run_cap = static_cast<int>(sweep.trials().size()) + between(random, 0, 3);
            return LimitsChanged{limits};
        }
        case 9:
            return random.below(20) == 0 ? Event{TimeUp{}} : Event{SlotsJoined{}};
        default: {
            const double losses[] = {0.5, worst_loss, std::numeric_limits<double>::quiet_NaN()};
            const auto pick = random.below(6);
            const auto resource = sweep.trials().empty() ? Resource{1} : sweep.trial(id).resource;
            return TrialReported{id, Resource{resource.value + between(random, 1, 2)},
                                 pick < 3 ? losses[pick] : random.uniform(), std::nullopt};
        }
    }
}

/// The trial that the action resumes or orders to train.
std::optional<TrialId> needed_by(const Action& action) {
    if (const auto* resume = std::get_if<ResumeTrial>(&action)) {
        return resume->trial;
    }
    const auto* regroup = std::get_if<Regroup>(&action);
    return regroup == nullptr ? std::nullopt : std::optional(regroup->trial);
}

/// A sweep with one slot for each trial. A trial is complete at `max`.
Sweep sweep_of(int num_trials, std::int64_t max, Repeat repeat = {}) {
    SweepSpec spec;
    spec.metric = "loss";
    spec.run_cap = num_trials / repeat.times;
    spec.max_retries = 0;
    spec.repeat = repeat;
    spec.scheduler.kind = SchedulerKind::fifo;
    spec.scheduler.max = Resource{max};
    Sweep sweep(spec);
    SlotsJoined slots;
    for (int slot = 0; slot < num_trials; ++slot) {
        slots.slots.push_back({SlotId{slot}, NodeId{0}});
    }
    sweep.apply(slots);
    return sweep;
}

void report(Sweep& sweep, int trial, double loss) {
    sweep.apply(TrialReported{TrialId{trial}, Resource{1}, loss, std::nullopt});
}

}  // namespace

TEST_CASE("the best ended trials keep their files, and of equal losses the first is the best") {
    auto sweep = sweep_of(5, 1);
    for (const auto& [trial, loss] : {std::pair{0, 0.3}, {1, 0.2}, {2, 0.2}, {3, 0.1}, {4, worst_loss}}) {
        report(sweep, trial, loss);
    }

    CHECK(KeptTrials({.best = 1}, true).note_all(sweep) == ids({0, 1, 2, 4}));
    CHECK(KeptTrials({.best = 2}, true).note_all(sweep) == ids({0, 2, 4}));
    CHECK(KeptTrials({.best = 9}, true).note_all(sweep) == ids({4}));
}

TEST_CASE("trials that failed or have not ended keep their files, whatever their loss") {
    auto sweep = sweep_of(5, 9);
    for (const int trial : {0, 1, 2, 3}) {
        report(sweep, trial, 0.9);
    }
    sweep.apply(TrialHeld{TrialId{1}, HoldAt::once});
    sweep.apply(TrialFailed{TrialId{2}, FailureKind::crash});
    sweep.apply(TrialStopped{TrialId{3}});
    sweep.apply(TrialStopped{TrialId{4}});

    REQUIRE(sweep.trial(TrialId{2}).status == TrialStatus::failed);
    CHECK(KeptTrials({.best = 1}, true).note_all(sweep) == ids({4}));
}

TEST_CASE("repetitions keep their files until the last one ends, and then only the best configuration keeps them") {
    auto sweep = sweep_of(4, 1, {.times = 2});
    report(sweep, 0, 0.1);
    report(sweep, 1, 0.9);  // mean 0.5
    report(sweep, 2, 0.3);

    CHECK(KeptTrials({.best = 1}, true).note_all(sweep).empty());
    report(sweep, 3, 0.4);  // mean 0.35
    CHECK(KeptTrials({.best = 1}, true).note_all(sweep) == ids({0, 1}));
    CHECK(sweep.best() == TrialId{2});
}

TEST_CASE("the waste of a trial is its checkpoint or all its files, depending on what the sweep keeps") {
    using Programs = Keep::Programs;
    const auto stopped = trial(0, TrialStatus::stopped, 0.3);
    const auto finished = trial(1, TrialStatus::finished, 0.3);
    const auto waste = [](Programs programs, bool has_warm_trainers, const Trial& of) {
        return KeptTrials({.best = 1, .programs = programs}, has_warm_trainers).waste_of(of);
    };

    CHECK(waste(Programs::all, false, stopped) == Waste::nothing);
    CHECK(waste(Programs::finished, false, finished) == Waste::nothing);
    CHECK(waste(Programs::finished, false, stopped) == Waste::all_files);
    CHECK(waste(Programs::best, false, finished) == Waste::all_files);
    CHECK(waste(Programs::all, true, finished) == Waste::checkpoint);
    CHECK(waste(Programs::finished, true, finished) == Waste::checkpoint);
    CHECK(waste(Programs::finished, true, stopped) == Waste::all_files);
}

TEST_CASE("in any history, removed files are never needed again, and a crash at any event changes nothing") {
    for (std::uint64_t seed = 0; seed < 5'000; ++seed) {
        CounterRandom random(seed, 0);
        Sweep sweep(some_spec(random));
        const Keep keep{.best = between(random, 1, 4)};
        KeptTrials kept(keep, true);
        std::set<TrialId> gone = kept.note_all(sweep);
        sweep.apply(SlotsJoined{{{SlotId{1000}, NodeId{0}}, {SlotId{1001}, NodeId{0}}}});
        bool is_sound = true;
        for (int i = 0; i < 60 && is_sound; ++i) {
            std::vector<Action> actions;
            try {
                actions = sweep.apply(some_event(random, sweep));
            } catch (const InvalidInput&) {
                continue;  // an impossible event
            }
            for (const auto& action : actions) {
                if (const auto* drop = std::get_if<DropCheckpoint>(&action)) {
                    if (const auto id = kept.note_beaten(sweep.trial(drop->trial))) {
                        is_sound = gone.insert(*id).second && is_sound;
                    }
                } else if (const auto id = needed_by(action)) {
                    is_sound = !gone.contains(*id) && is_sound;
                }
            }
            is_sound = is_sound && gone == may_go(sweep.trials(), keep.best) &&
                       gone == KeptTrials(keep, true).note_all(sweep) &&
                       (sweep.state() == SweepState::running || !sweep.best() || !gone.contains(*sweep.best()));
        }
        REQUIRE_MESSAGE(is_sound, seed);
    }
}
