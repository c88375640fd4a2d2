#include "tests/scheduler/random_cluster.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "core/check.hpp"
#include "tests/scheduler/script.hpp"

namespace crescendo {
namespace {

int between(CounterRandom& random, int min, int max) {
    return min + static_cast<int>(random.below(static_cast<std::uint64_t>(max - min) + 1));
}

bool chance(CounterRandom& random, double probability) { return random.uniform() < probability; }

template <class Enum>
Enum one_of(CounterRandom& random, Enum last) {
    return static_cast<Enum>(between(random, 0, static_cast<int>(last)));
}

}  // namespace

SweepSpec random_spec(CounterRandom& random) {
    SweepSpec spec;
    spec.metric = "loss";
    spec.seed = random.next();
    spec.max_retries = between(random, 0, 2);
    spec.has_time_budget = true;
    if (chance(random, 0.9)) {
        spec.run_cap = between(random, 1, 30);
    }
    if (chance(random, 0.2)) {
        spec.target = 0.01;
    }
    if (chance(random, 0.2)) {
        spec.trial_end.target = 0.1;
    }
    if (chance(random, 0.2)) {
        spec.trial_end.seconds = between(random, 1, 20);
    }
    if (chance(random, 0.2)) {
        spec.patience.trials = between(random, 1, 20);
    }
    if (chance(random, 0.2)) {
        spec.patience.resource = between(random, 1, 20);
    }
    auto& scheduler = spec.scheduler;
    scheduler.kind = chance(random, 0.5) ? SchedulerKind::rasda : one_of(random, SchedulerKind::median);
    scheduler.mode = one_of(random, Mode::promote);
    scheduler.rule = one_of(random, Rule::percentile);
    scheduler.keep_diverged = one_of(random, Switch::on);
    scheduler.batch = one_of(random, BatchPolicy::adaptive);
    scheduler.min = Resource{between(random, 1, 3)};
    scheduler.max = Resource{scheduler.min.value + between(random, 0, 30)};
    scheduler.reduction_factor = between(random, 2, 4);
    scheduler.workers = between(random, 1, 3);
    scheduler.distinct_gpus = one_of(random, Switch::on);
    if (chance(random, 0.5)) {
        scheduler.scaling_factor = between(random, 1, 4);
    }
    if (chance(random, 0.5)) {
        scheduler.max_workers = scheduler.workers + between(random, 0, 8);
    }
    if (chance(random, 0.2)) {
        scheduler.max_concurrent = between(random, 1, 4);
    }
    if (chance(random, 0.2)) {
        scheduler.brackets = between(random, 1, 2);
    }
    if (scheduler.kind == SchedulerKind::rasda) {
        scheduler.grow = one_of(random, GrowPolicy::partial);
        scheduler.grow_when = one_of(random, GrowWhen::goodput);
        scheduler.priority = one_of(random, Priority::tail);
        scheduler.shrink = one_of(random, Switch::on);
        scheduler.surplus = one_of(random, Switch::on);
        scheduler.capped_surplus = one_of(random, Switch::on);
        if (chance(random, 0.5)) {
            scheduler.expected_regroup = 10 * random.uniform();
        }
    }
    try {
        validate(spec);
        return spec;
    } catch (const InvalidInput&) {
        return random_spec(random);
    }
}

SweepSpec random_growing_spec(CounterRandom& random) {
    auto spec = random_spec(random);
    if (chance(random, 0.7)) {
        spec.run_cap = between(random, 1, 8);
    }
    spec.patience.trials.reset();  // it ends a sweep only at the event after it runs out
    auto& scheduler = spec.scheduler;
    scheduler.kind = SchedulerKind::rasda;
    scheduler.grow = one_of(random, GrowPolicy::partial);
    scheduler.grow_when = GrowWhen::goodput;
    scheduler.surplus = Switch::on;
    scheduler.shrink = one_of(random, Switch::on);
    scheduler.priority = one_of(random, Priority::tail);
    scheduler.expected_regroup = 10 * random.uniform();
    return problems_of(spec).empty() ? spec : random_growing_spec(random);
}

SweepSpec random_asha_spec(CounterRandom& random) {
    using enum SchedulerKind;
    auto spec = random_spec(random);
    const auto kind = spec.scheduler.kind;
    return kind == asha || kind == rasda || kind == async_hyperband ? spec : random_asha_spec(random);
}

SweepSpec random_repeated_spec(CounterRandom& random) {
    auto spec = random_spec(random);
    spec.repeat = {between(random, 2, 4), one_of(random, JudgedBy::worst)};
    return problems_of(spec).empty() ? spec : random_repeated_spec(random);
}

SweepSpec random_searching_spec(CounterRandom& random) {
    using namespace std::string_literals;
    auto spec = chance(random, 0.3) ? random_growing_spec(random) : random_spec(random);
    spec.repeat.times = chance(random, 0.3) ? 2 : 1;
    const std::vector<std::string> names{"random", "sobol", "tpe", "cmaes"};
    spec.sampler = chance(random, 0.02) ? "gp" : names[random.below(names.size())];  // gp is slow
    if (chance(random, 0.4)) {
        const Categorical kinds{{"x"s, std::int64_t{1}, "1"s}};
        spec.space = SearchSpace({{"a", IntUniform{0, between(random, 1, 4)}}, {"b", kinds}});
    } else {
        spec.space = SearchSpace({{"a", Uniform{0, 1}}, {"b", IntUniform{0, 10}, "a > 0.5"}});
    }
    if (chance(random, 0.2)) {
        spec.initial.push_back({});
    }
    return problems_of(spec).empty() ? spec : random_searching_spec(random);
}

void RandomCluster::play() {
    play_to_the_end();
    for (int extension = 0; extension < 2; ++extension) {
        happen(chance(random_, 0.5) ? Event{some_limits()} : TrialRetried{any_trial()});
        play_to_the_end();
    }
}

std::string RandomCluster::log() const {
    std::string log;
    for (const auto& actions : actions_) {
        log += text_of(actions) + '\n';
    }
    return log;
}

void RandomCluster::play_to_the_end() {
    constexpr int rough_events = 200;
    constexpr int most_events = 10'000;
    for (auto num_before = events_.size(); books_.sweep().state() == SweepState::running;) {
        happen(events_.size() - num_before < rough_events ? rough_event() : calm_event());
        if (events_.size() - num_before >= most_events) {
            throw std::logic_error("a sweep ends");
        }
    }
}

void RandomCluster::happen(const Event& event) {
    try {
        take(event);
        while (const auto proposed = books_.propose()) {
            take(*proposed);
        }
    } catch (const InvalidInput&) {  // a report from the past, or impossible limits
    }
}

void RandomCluster::take(const Event& event) {
    actions_.push_back(books_.apply(event));
    events_.push_back(event);
    watch(sweep());
}

Event RandomCluster::rough_event() {
    if (share_of_stops > 0 && !sweep().trials().empty() && chance(random_, share_of_stops)) {
        return TrialStopped{any_trial()};
    }
    if (share_of_times > 0 && !books_.groups().empty() && chance(random_, share_of_times)) {
        return some_times();
    }
    if (share_of_ends > 0 && chance(random_, sweep().deadline_is_near() ? 0.2 : share_of_ends)) {
        return some_end();
    }
    if (sweep().deadline_is_near() && books_.groups().empty() && !books_.joined().empty()) {
        return SlotsLost{sweep().slots()};
    }
    const double kind = random_.uniform();
    if (sweep().waits_for_release() && kind < 0.9) {
        return TrialReleased{any_trial()};
    }
    if (books_.groups().empty() || kind < 0.05) {
        return some_join();
    }
    if (kind < 0.10) {
        return some_loss();
    }
    if (kind < 0.15) {
        return some_failure();
    }
    if (kind < 0.18) {
        return TrialFinished{some_running()};
    }
    if (kind < 0.25) {
        return report_of(any_trial(), between(random_, 1, 30));
    }
    if (kind < 0.26) {
        return TrialFailed{any_trial(), FailureKind::error, chance(random_, 0.5) ? some_slot() : std::nullopt};
    }
    if (kind < 0.261) {
        return Cancelled{};
    }
    if (kind < 0.28) {
        return some_limits();
    }
    if (kind < 0.30) {
        return TrialRetried{any_trial()};
    }
    if (kind < 0.36) {
        return chance(random_, 0.5) ? Event{some_regroup()} : some_start();
    }
    if (kind < 0.37) {
        const TrialId trial{between(random_, 0, static_cast<int>(sweep().trials().size()) + 2)};
        return TrialProposed{trial, sweep().spec().space.sample({random_.next(), 0})};
    }
    if (kind < 0.38) {
        return chance(random_, 0.7) ? Event{TrialStopped{any_trial()}} : Event{TrialTimeUp{any_trial()}};
    }
    if (kind < 0.43) {
        return chance(random_, 0.6) ? Event{TrialHeld{any_trial(), one_of(random_, HoldAt::report)}}
                                    : Event{TrialReleased{any_trial()}};
    }
    return next_report();
}

Event RandomCluster::some_end() {
    const double kind = random_.uniform();
    if (kind < 0.02) {
        return TimeUp{};
    }
    return kind < 0.5 ? Event{DeadlineNear{}} : SlotsLost{sweep().slots()};
}

Event RandomCluster::calm_event() {
    if (!books_.sweep().spec().run_cap) {
        return TimeUp{};
    }
    if (const auto held = std::ranges::find(sweep().trials(), true, &Trial::is_held); held != sweep().trials().end()) {
        return TrialReleased{held->id};
    }
    if (sweep().deadline_is_near() && !books_.joined().empty()) {
        return SlotsLost{sweep().slots()};
    }
    return books_.groups().empty() ? some_join() : next_report();
}

Event RandomCluster::next_report() {
    const auto trial = some_running();
    const auto step = chance(random_, 0.1) ? between(random_, 2, 10) : 1;
    return report_of(trial, books_.sweep().trial(trial).resource.value + step);
}

Event RandomCluster::some_times() {
    const auto& trial = sweep().trial(some_running());
    const auto steps = some_steps(trial);
    if (trial.resource.value == 0 && chance(random_, 0.5)) {
        return TrialTimed{trial.id, trial.group.generation, steps, some_samples()};
    }
    return TrialRegrouped{trial.id, trial.group.generation, 0.1 * random_.uniform(), steps.seconds};
}

TrialRegrouped RandomCluster::some_regroup() {
    const auto trial = any_trial();
    const bool is_known = trial.value < static_cast<int>(sweep().trials().size());
    const int generation = is_known ? sweep().trial(trial).group.generation - between(random_, 0, 1) : 0;
    const double seconds = chance(random_, 0.1) ? std::numeric_limits<double>::quiet_NaN() : 40 * random_.uniform();
    const auto step = chance(random_, 0.5) ? std::optional(random_.uniform()) : std::nullopt;
    return {trial, generation, seconds, step};
}

TrialTimed RandomCluster::some_start() {
    const auto trial = any_trial();
    const bool is_known = trial.value < static_cast<int>(sweep().trials().size());
    const int generation = is_known ? sweep().trial(trial).group.generation - between(random_, 0, 1) : 0;
    return {trial, generation, is_known ? some_steps(sweep().trial(trial)) : Steps{}, some_samples()};
}

std::optional<double> RandomCluster::some_samples() {
    return chance(random_, 0.5) ? std::optional(10'000 * random_.uniform()) : std::nullopt;
}

TrialReported RandomCluster::report_of(TrialId trial, std::int64_t resource) {
    const auto clock = chance(random_, 0.9)
                           ? std::optional(static_cast<double>(resource) * (0.5 + 0.1 * (trial.value % 10)))
                           : std::nullopt;
    return {trial, Resource{resource}, some_loss_value(), clock, some_steps(books_.sweep().trial(trial))};
}

Steps RandomCluster::some_steps(const Trial& trial) {
    if (chance(random_, 0.2)) {
        return {};
    }
    const auto workers = static_cast<double>(trial.group.slots.size());
    const double shared = 0.5 + 0.5 * random_.uniform();
    Steps steps{1.0 - shared + shared / workers, 64.0 * trial.group.batch.multiple, 1000 * random_.uniform()};
    if (chance(random_, 0.1)) {
        steps.seconds = *steps.seconds * 5;
    }
    if (chance(random_, 0.05)) {
        steps = {-1.0, std::numeric_limits<double>::quiet_NaN(), -1.0};
    }
    return steps;
}

LimitsChanged RandomCluster::some_limits() {
    Limits limits = limits_of(sweep().spec());
    limits.run_cap = chance(random_, 0.95) ? std::optional(between(random_, 1, 40)) : std::nullopt;
    limits.target = chance(random_, 0.2) ? std::optional(0.01 * between(random_, 0, 2)) : std::nullopt;
    limits.max_concurrent = chance(random_, 0.2) ? std::optional(between(random_, 1, 4)) : std::nullopt;
    limits.max_retries = between(random_, 0, 2);
    return {limits, chance(random_, 0.9)};
}

Event RandomCluster::some_join() {
    SlotsJoined event;
    for (int count = between(random_, 1, 6); count > 0; --count) {
        const SlotId slot{between(random_, 0, 15)};
        const bool twice =
            std::any_of(event.slots.begin(), event.slots.end(), [slot](const Slot& other) { return other.id == slot; });
        if (!twice && !books_.joined().contains(slot)) {
            const bool shares_gpu = slot.value / 4 == 1;
            event.slots.push_back(
                {slot, NodeId{slot.value / 4}, shares_gpu ? std::optional(slot.value % 2) : std::nullopt});
        }
    }
    return event;
}

Event RandomCluster::some_loss() {
    SlotsLost event;
    for (const auto slot : books_.joined()) {
        if (chance(random_, 0.2)) {
            event.slots.push_back(slot);
        }
    }
    return event;
}

TrialFailed RandomCluster::some_failure() {
    TrialFailed event{some_running(), one_of(random_, FailureKind::out_of_memory)};
    const auto& members = books_.groups().at(event.trial).slots;
    if (chance(random_, 0.7)) {
        event.slot = members[random_.below(members.size())];
    } else if (chance(random_, 0.5)) {
        event.slot = some_slot();
    }
    if (chance(random_, 0.7)) {
        event.suspect = event.slot ? event.slot : std::optional(members[random_.below(members.size())]);
    }
    return event;
}

std::optional<SlotId> RandomCluster::some_slot() {
    const auto& joined = books_.joined();
    if (joined.empty()) {
        return std::nullopt;
    }
    return *std::next(joined.begin(), static_cast<std::ptrdiff_t>(random_.below(joined.size())));
}

TrialId RandomCluster::some_running() {
    const auto index = random_.below(books_.groups().size());
    return std::next(books_.groups().begin(), static_cast<std::ptrdiff_t>(index))->first;
}

TrialId RandomCluster::any_trial() {
    return TrialId{between(random_, 0, static_cast<int>(sweep().trials().size()) - 1)};
}

double RandomCluster::some_loss_value() {
    if (chance(random_, 0.1)) {
        return chance(random_, 0.5) ? std::numeric_limits<double>::quiet_NaN()
                                    : std::numeric_limits<double>::infinity();
    }
    return chance(random_, 0.2) ? 0.5 : random_.uniform();
}

}  // namespace crescendo
