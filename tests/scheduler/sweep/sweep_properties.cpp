#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/check.hpp"
#include "core/random.hpp"
#include "tests/sanitized.hpp"
#include "tests/scheduler/script.hpp"
#include "tests/scheduler/slot_books.hpp"

using namespace crescendo;
using crescendo::tests::seeds;

namespace {

int between(CounterRandom& random, int min, int max) {
    return min + static_cast<int>(random.below(static_cast<std::uint64_t>(max - min) + 1));
}

bool chance(CounterRandom& random, double probability) { return random.uniform() < probability; }

template <class Enum>
Enum one_of(CounterRandom& random, Enum last) {
    return static_cast<Enum>(between(random, 0, static_cast<int>(last)));
}

/// Any valid combination of settings.
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

/// As above, where trials grow early and wait for what others try.
SweepSpec random_growing_spec(CounterRandom& random) {
    auto spec = random_spec(random);
    if (chance(random, 0.7)) {
        spec.run_cap = between(random, 1, 8);
    }
    spec.patience.trials.reset();  // it ends a sweep at the event after the one that has it run out
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

/// As above, where trials climb the rungs of asynchronous successive halving.
SweepSpec random_asha_spec(CounterRandom& random) {
    using enum SchedulerKind;
    auto spec = random_spec(random);
    const auto kind = spec.scheduler.kind;
    return kind == asha || kind == rasda || kind == async_hyperband ? spec : random_asha_spec(random);
}

/// As above, where trials are repetitions.
SweepSpec random_repeated_spec(CounterRandom& random) {
    auto spec = random_spec(random);
    spec.repeat = {between(random, 2, 4), one_of(random, JudgedBy::worst)};
    return problems_of(spec).empty() ? spec : random_repeated_spec(random);
}

/// A cluster on which everything goes wrong for a while: trials fail, end, report twice or at the
/// wrong time, slots come and go. Then it calms down, so that a sweep with a run cap ends by itself.
class RandomCluster {
  public:
    explicit RandomCluster(std::uint64_t seed, SweepSpec (*draw)(CounterRandom&) = random_spec)
        : random_(seed, 0), spec_(draw(random_)), books_(spec_) {}

    /// Is called after every event.
    std::function<void(const Sweep&)> watch = [](const Sweep&) {};
    /// The part of the rough events in which a running trial tells how long its steps take, besides the few that there
    /// are anyway.
    double share_of_times = 0;
    /// The part of the rough events that are a user's stops, beside the few that there are anyway.
    double share_of_stops = 0;

    /// To the end, and twice beyond it, where there is more to do.
    void play() {
        play_to_the_end();
        for (int extension = 0; extension < 2; ++extension) {
            happen(chance(random_, 0.5) ? Event{some_limits()} : TrialRetried{any_trial()});
            play_to_the_end();
        }
    }

    const std::vector<Event>& events() const { return events_; }
    /// The actions of each event, a line each.
    std::string log() const {
        std::string log;
        for (const auto& actions : actions_) {
            log += text_of(actions) + '\n';
        }
        return log;
    }
    const Sweep& sweep() const { return books_.sweep(); }
    /// As the sweep began; its limits may have changed since.
    const SweepSpec& spec() const { return spec_; }

  private:
    void play_to_the_end() {
        constexpr int rough_events = 200;
        constexpr int most_events = 10'000;
        for (auto num_before = events_.size(); books_.sweep().state() == SweepState::running;) {
            happen(events_.size() - num_before < rough_events ? rough_event() : calm_event());
            if (events_.size() - num_before >= most_events) {
                throw std::logic_error("a sweep ends");
            }
        }
    }

    void happen(const Event& event) {
        try {
            actions_.push_back(books_.apply(event));
            events_.push_back(event);
            watch(sweep());
        } catch (const InvalidInput&) {  // a report from the past, or limits that cannot be
        }
    }

    Event rough_event() {
        if (share_of_stops > 0 && !sweep().trials().empty() && chance(random_, share_of_stops)) {
            return TrialStopped{any_trial()};
        }
        if (share_of_times > 0 && !books_.groups().empty() && chance(random_, share_of_times)) {
            return some_times();
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
            return TrialProposed{TrialId{between(random_, 0, static_cast<int>(sweep().trials().size()) + 2)}, {}};
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

    Event calm_event() {
        if (!books_.sweep().spec().run_cap) {
            return TimeUp{};
        }
        if (const auto held = std::ranges::find(sweep().trials(), true, &Trial::is_held);
            held != sweep().trials().end()) {
            return TrialReleased{held->id};
        }
        return books_.groups().empty() ? some_join() : next_report();
    }

    Event next_report() {
        const auto trial = some_running();
        const auto step = chance(random_, 0.1) ? between(random_, 2, 10) : 1;
        return report_of(trial, books_.sweep().trial(trial).resource.value + step);
    }

    /// Of the present group of a running trial.
    Event some_times() {
        const auto& trial = sweep().trial(some_running());
        const auto steps = some_steps(trial);
        if (trial.resource.value == 0 && chance(random_, 0.5)) {
            return TrialTimed{trial.id, trial.group.generation, steps, some_samples()};
        }
        return TrialRegrouped{trial.id, trial.group.generation, 0.1 * random_.uniform(), steps.seconds};
    }

    /// Of the present group or of an older one, and sometimes with what cannot be.
    TrialRegrouped some_regroup() {
        const auto trial = any_trial();
        const bool is_known = trial.value < static_cast<int>(sweep().trials().size());
        const int generation = is_known ? sweep().trial(trial).group.generation - between(random_, 0, 1) : 0;
        const double seconds = chance(random_, 0.1) ? std::numeric_limits<double>::quiet_NaN() : 40 * random_.uniform();
        const auto step = chance(random_, 0.5) ? std::optional(random_.uniform()) : std::nullopt;
        return {trial, generation, seconds, step};
    }

    /// Of the present group or of an older one, whether the trial has reported or not.
    TrialTimed some_start() {
        const auto trial = any_trial();
        const bool is_known = trial.value < static_cast<int>(sweep().trials().size());
        const int generation = is_known ? sweep().trial(trial).group.generation - between(random_, 0, 1) : 0;
        return {trial, generation, is_known ? some_steps(sweep().trial(trial)) : Steps{}, some_samples()};
    }

    /// Many programs do not know how many samples they have.
    std::optional<double> some_samples() {
        return chance(random_, 0.5) ? std::optional(10'000 * random_.uniform()) : std::nullopt;
    }

    /// Some trials are faster than others, and some reports have no clock.
    TrialReported report_of(TrialId trial, std::int64_t resource) {
        const auto clock = chance(random_, 0.9)
                               ? std::optional(static_cast<double>(resource) * (0.5 + 0.1 * (trial.value % 10)))
                               : std::nullopt;
        return {trial, Resource{resource}, some_loss_value(), clock, some_steps(books_.sweep().trial(trial))};
    }

    /// Of any scaling, with stragglers, and sometimes with what cannot be.
    Steps some_steps(const Trial& trial) {
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

    LimitsChanged some_limits() {
        Limits limits = limits_of(sweep().spec());
        limits.run_cap = chance(random_, 0.95) ? std::optional(between(random_, 1, 40)) : std::nullopt;
        limits.target = chance(random_, 0.2) ? std::optional(0.01 * between(random_, 0, 2)) : std::nullopt;
        limits.max_concurrent = chance(random_, 0.2) ? std::optional(between(random_, 1, 4)) : std::nullopt;
        limits.max_retries = between(random_, 0, 2);
        return {limits, chance(random_, 0.9)};
    }

    /// New slots, or some that were lost before.
    Event some_join() {
        SlotsJoined event;
        for (int count = between(random_, 1, 6); count > 0; --count) {
            const SlotId slot{between(random_, 0, 15)};
            const bool twice = std::any_of(event.slots.begin(), event.slots.end(),
                                           [slot](const Slot& other) { return other.id == slot; });
            if (!twice && !books_.joined().contains(slot)) {
                const bool shares_gpu = slot.value / 4 == 1;
                event.slots.push_back(
                    {slot, NodeId{slot.value / 4}, shares_gpu ? std::optional(slot.value % 2) : std::nullopt});
            }
        }
        return event;
    }

    Event some_loss() {
        SlotsLost event;
        for (const auto slot : books_.joined()) {
            if (chance(random_, 0.2)) {
                event.slots.push_back(slot);
            }
        }
        return event;
    }

    /// Of one worker, of another group's, or of all.
    TrialFailed some_failure() {
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

    std::optional<SlotId> some_slot() {
        const auto& joined = books_.joined();
        if (joined.empty()) {
            return std::nullopt;
        }
        return *std::next(joined.begin(), static_cast<std::ptrdiff_t>(random_.below(joined.size())));
    }

    TrialId some_running() {
        const auto index = random_.below(books_.groups().size());
        return std::next(books_.groups().begin(), static_cast<std::ptrdiff_t>(index))->first;
    }

    TrialId any_trial() { return TrialId{between(random_, 0, static_cast<int>(sweep().trials().size()) - 1)}; }

    double some_loss_value() {
        if (chance(random_, 0.1)) {
            return chance(random_, 0.5) ? std::numeric_limits<double>::quiet_NaN()
                                        : std::numeric_limits<double>::infinity();
        }
        return chance(random_, 0.2) ? 0.5 : random_.uniform();
    }

    CounterRandom random_;
    SweepSpec spec_;
    SlotBooks books_;
    std::vector<Event> events_;
    std::vector<std::vector<Action>> actions_;
};

std::string replayed(const SweepSpec& spec, const std::vector<Event>& events) {
    Sweep sweep{spec};
    std::string log;
    for (const auto& event : events) {
        log += text_of(sweep.apply(event)) + '\n';
    }
    return log;
}

/// The same events, each with its slots in the opposite order.
std::vector<Event> with_slots_reversed(std::vector<Event> events) {
    for (auto& event : events) {
        if (auto* joined = std::get_if<SlotsJoined>(&event)) {
            std::reverse(joined->slots.begin(), joined->slots.end());
        } else if (auto* lost = std::get_if<SlotsLost>(&event)) {
            std::reverse(lost->slots.begin(), lost->slots.end());
        }
    }
    return events;
}

}  // namespace

TEST_CASE("whatever happens, the books of slots and trials are right, nothing idles, and the sweep ends") {
    for (std::uint64_t seed = 0; seed < seeds(10'000); ++seed) {
        CAPTURE(seed);
        RandomCluster cluster{seed};
        REQUIRE_NOTHROW(cluster.play());
    }
}

TEST_CASE("where trials tell how long their steps take, nothing idles, and no batch grows before the first rung") {
    for (std::uint64_t seed = 0; seed < seeds(5'000); ++seed) {
        CAPTURE(seed);
        RandomCluster cluster{seed, random_growing_spec};
        cluster.share_of_times = 0.4;
        cluster.watch = [](const Sweep& sweep) {
            for (const auto& trial : sweep.trials()) {
                const bool is_early = trial.rungs_survived == 0 && sweep.growth().is_timed(trial.id);
                if (is_early && sweep.spec().scheduler.batch == BatchPolicy::adaptive &&
                    trial.group.batch.multiple > 1) {
                    throw std::logic_error("a rung compares equal batches");
                }
            }
        };
        REQUIRE_NOTHROW(cluster.play());
    }
}

TEST_CASE("what trials tell late, twice, or in vain changes nothing") {
    for (std::uint64_t seed = 0; seed < seeds(200); ++seed) {
        CAPTURE(seed);
        RandomCluster cluster{seed, random_growing_spec};
        cluster.share_of_times = 0.4;
        cluster.play();
        Sweep sweep{cluster.spec()};
        std::string log;
        for (const auto& event : cluster.events()) {
            log += text_of(sweep.apply(event)) + '\n';
            if (const auto* timed = std::get_if<TrialTimed>(&event)) {
                REQUIRE(text_of(sweep.apply(*timed)) == "");
            }
            for (const auto& trial : sweep.trials()) {
                const int generation = trial.group.generation;
                REQUIRE(text_of(sweep.apply(TrialTimed{trial.id, generation, {}})) == "");
                REQUIRE(text_of(sweep.apply(TrialTimed{trial.id, generation - 1, {0.1, 128.0, {}}})) == "");
                REQUIRE(text_of(sweep.apply(TrialRegrouped{trial.id, generation - 1, 0.1, 1e-3})) == "");
            }
        }
        REQUIRE(log == cluster.log());
    }
}

TEST_CASE("replaying the same events gives the same actions, byte for byte") {
    for (std::uint64_t seed = 0; seed < seeds(600); ++seed) {
        CAPTURE(seed);
        RandomCluster cluster{seed, seed < seeds(500) ? random_spec : random_repeated_spec};
        cluster.play();

        REQUIRE(replayed(cluster.spec(), cluster.events()) == cluster.log());
    }
}

TEST_CASE("a copy of a sweep goes on as the sweep does") {
    for (std::uint64_t seed = 0; seed < seeds(100); ++seed) {
        CAPTURE(seed);
        RandomCluster cluster{seed};
        cluster.play();
        Sweep sweep{cluster.spec()};
        const auto half = cluster.events().size() / 2;
        for (std::size_t i = 0; i < half; ++i) {
            sweep.apply(cluster.events()[i]);
        }
        Sweep copy = sweep;
        for (std::size_t i = half; i < cluster.events().size(); ++i) {
            REQUIRE(text_of(copy.apply(cluster.events()[i])) == text_of(sweep.apply(cluster.events()[i])));
        }
    }
}

TEST_CASE("the order in which an event lists its slots does not matter") {
    for (std::uint64_t seed = 0; seed < seeds(500); ++seed) {
        CAPTURE(seed);
        RandomCluster cluster{seed};
        cluster.play();

        REQUIRE(replayed(cluster.spec(), with_slots_reversed(cluster.events())) == cluster.log());
    }
}

TEST_CASE("decisions do not depend on the slots where the reports arrive in the same order") {
    // Round robin over 8 trials: slots enough for one worker each, or for every target.
    for (std::uint64_t seed = 0; seed < seeds(200); ++seed) {
        CAPTURE(seed);
        auto spec = spec_of(/*run_cap=*/8, /*max=*/16);
        spec.scheduler.max_workers = 16;
        Script scarce{spec};
        Script plenty{spec};
        scarce.join(8);
        plenty.join(128);

        for (int resource = 1; resource <= 16; ++resource) {
            CounterRandom random{seed, static_cast<std::uint64_t>(resource)};
            for (int trial = 0; trial < 8; ++trial) {
                const double loss = random.uniform();
                scarce.report(trial, resource, loss);
                plenty.report(trial, resource, loss);
                REQUIRE(scarce.trial(trial).status == plenty.trial(trial).status);
                REQUIRE(scarce.trial(trial).group.batch.multiple == plenty.trial(trial).group.batch.multiple);
            }
        }
        REQUIRE(scarce.sweep.best() == plenty.sweep.best());
    }
}

namespace {

/// The rungs of asynchronous successive halving, kept from what trials are after each event, and sorted for each
/// question.
class SlowRungs {
  public:
    explicit SlowRungs(const SchedulerSpec& spec) : spec_(spec), milestones_(spec.milestones()) {}

    void look_at(const std::vector<Trial>& trials) {
        num_arrivals_.resize(trials.size());
        have_failed_.resize(trials.size());
        for (const auto& trial : trials) {
            const auto index = static_cast<std::size_t>(trial.id.value);
            for (int& k = num_arrivals_[index]; k <= trial.rungs_survived && has_come_to(trial, k); ++k) {
                rung(trial, k).insert({*trial.loss, trial.id});
            }
            const bool has_failed = trial.status == TrialStatus::failed;
            const Result worst{std::numeric_limits<double>::infinity(), trial.id};
            if (has_failed && !have_failed_[index]) {
                rung(trial, trial.rungs_survived).insert(worst);
            } else if (!has_failed && have_failed_[index]) {
                rung(trial, trial.rungs_survived).erase(worst);
            }
            have_failed_[index] = has_failed;
        }
    }

    /// How many rungs the trial, which has not reported this yet, survives with it in mode: stop.
    int num_survived(Trial trial, const TrialReported& report) {
        trial.resource = report.resource;
        const double loss = to_loss(Goal::minimize, report.loss);
        int k = trial.rungs_survived;
        while (has_come_to(trial, k) && !is_top(trial, k) && survives(rung(trial, k), {loss, trial.id})) {
            ++k;
        }
        return k;
    }

    /// Whether the trial, which came to this rung, is among those to promote in mode: promote, as far as those are
    /// better that had come there in `others`.
    bool is_among_best(const Trial& trial, int k, SlowRungs& others) {
        const auto& results = rung(trial, k);
        const auto own = std::ranges::find(results, trial.id, &Result::second);
        const auto& rivals = others.rung(trial, k);
        return own != results.end() && std::distance(rivals.begin(), rivals.lower_bound(*own)) <
                                           static_cast<std::ptrdiff_t>(results.size() / eta());
    }

  private:
    using Result = std::pair<double, TrialId>;

    std::size_t eta() const { return static_cast<std::size_t>(spec_.reduction_factor); }
    std::set<Result>& rung(const Trial& trial, int k) { return rungs_[{trial.bracket, k}]; }
    bool is_top(const Trial& trial, int k) const {
        return static_cast<std::size_t>(trial.bracket + k) + 1 == milestones_.size();
    }
    bool has_come_to(const Trial& trial, int k) const {
        const auto milestone = static_cast<std::size_t>(trial.bracket + k);
        return milestone < milestones_.size() && trial.resource >= milestones_[milestone];
    }

    bool survives(const std::set<Result>& others, const Result& own) const {
        const auto num_better = static_cast<std::size_t>(std::distance(others.begin(), others.lower_bound(own)));
        if (spec_.rule == Rule::rank) {
            return num_better < std::max<std::size_t>(1, (others.size() + 1) / eta());
        }
        if (others.empty()) {
            return true;
        }
        const auto [whole, part] = std::div(static_cast<long>(others.size() - 1), static_cast<long>(eta()));
        const double low = std::next(others.begin(), whole)->first;
        const double high = part == 0 ? low : std::next(others.begin(), whole + 1)->first;
        const double cutoff =
            low == high ? low : low + (high - low) * (static_cast<double>(part) / static_cast<double>(eta()));
        return own.first <= cutoff && (std::isfinite(own.first) || spec_.keep_diverged == Switch::on);
    }

    SchedulerSpec spec_;
    std::vector<Resource> milestones_;
    std::map<std::pair<int, int>, std::set<Result>> rungs_;  // by bracket and number in it
    std::vector<int> num_arrivals_;                          // by trial: the rungs that it has come to
    std::vector<bool> have_failed_;                          // by trial
};

}  // namespace

TEST_CASE("whatever happens, a trial survives a rung exactly where the sorted results of that rung say so") {
    for (std::uint64_t seed = 0; seed < seeds(500); ++seed) {
        CAPTURE(seed);
        RandomCluster cluster{seed, random_asha_spec};
        cluster.play();
        Sweep sweep{cluster.spec()};
        SlowRungs rungs{cluster.spec().scheduler};
        const bool promotes = cluster.spec().scheduler.mode == Mode::promote;
        for (const auto& event : cluster.events()) {
            const auto before = sweep.trials();
            sweep.apply(event);
            const auto* report = std::get_if<TrialReported>(&event);
            for (const auto& trial : before) {
                const auto& now = sweep.trial(trial.id);
                if (!promotes) {
                    const bool is_news = now.resource > trial.resource;
                    REQUIRE(now.rungs_survived ==
                            (is_news ? rungs.num_survived(trial, *report) : trial.rungs_survived));
                }
            }
            auto rungs_before = rungs;  // what comes in the same event may come later: held trials train ahead
            rungs.look_at(sweep.trials());
            for (const auto& trial : before) {
                for (int k = trial.rungs_survived; promotes && k < sweep.trial(trial.id).rungs_survived; ++k) {
                    REQUIRE(rungs.is_among_best(trial, k, rungs_before));
                }
            }
            const bool can_promote = std::ranges::any_of(sweep.trials(), [&](const Trial& trial) {
                return trial.status == TrialStatus::paused && rungs.is_among_best(trial, trial.rungs_survived, rungs);
            });
            REQUIRE(sweep.can_promote() == can_promote);
        }
    }
}

namespace {

/// The repetitions of configuration `index`.
std::span<const Trial> repetitions_of(const Sweep& sweep, std::size_t index) {
    const auto times = static_cast<std::size_t>(sweep.spec().repeat.times);
    return std::span(sweep.trials()).subspan(index * times, times);
}

void require(bool holds, const char* rule) {
    if (!holds) {
        throw std::logic_error(rule);
    }
}

void require_sound_configurations(const Sweep& sweep) {
    using enum StopReason;
    const auto times = static_cast<std::size_t>(sweep.spec().repeat.times);
    require(sweep.trials().size() == sweep.candidates().size() * times, "configurations are complete");
    for (std::size_t i = 0; i < sweep.candidates().size(); ++i) {
        const auto& configuration = sweep.candidates()[i];
        const auto repetitions = repetitions_of(sweep, i);
        const auto is_lost = [](const Trial& trial) { return trial.reason == judged || trial.reason == requested; };
        const bool have_ended = std::ranges::all_of(repetitions, &Trial::ended);
        require(configuration.ended() == have_ended, "a configuration ends with the last of its repetitions");
        require(have_ended || std::ranges::none_of(repetitions, is_lost), "repetitions stop together");
        int fewest_rungs = std::numeric_limits<int>::max();
        int most_rungs = 0;
        std::vector<double> losses;
        for (const auto& trial : repetitions) {
            require(trial.config == configuration.config, "repetitions have one configuration");
            require(trial.bracket == repetitions.front().bracket, "repetitions climb one ladder");
            if (trial.status != TrialStatus::failed && trial.loss) {
                losses.push_back(*trial.loss);
            }
            if (trial.status == TrialStatus::paused && trial.resource >= sweep.next_milestone(trial.id)) {
                fewest_rungs = std::min(fewest_rungs, trial.rungs_survived);
            }
            most_rungs = std::max(most_rungs, trial.rungs_survived);
        }
        require(fewest_rungs == std::numeric_limits<int>::max() || most_rungs - fewest_rungs <= 1,
                "nobody passes a rung where a sibling waits");
        if (have_ended && !losses.empty() && configuration.status != TrialStatus::failed) {
            require(configuration.loss == judged_loss(sweep.spec().repeat.judge, losses),
                    "a configuration has the mean or the worst of its repetitions' losses");
        }
    }
}

}  // namespace

TEST_CASE("with repeat, whatever happens, nothing idles, the sweep ends, and repetitions stop together") {
    for (std::uint64_t seed = 0; seed < seeds(2'000); ++seed) {
        CAPTURE(seed);
        RandomCluster cluster{seed, random_repeated_spec};
        cluster.share_of_stops = seed % 2 == 0 ? 0 : 0.1;
        cluster.watch = require_sound_configurations;
        REQUIRE_NOTHROW(cluster.play());
    }
}
