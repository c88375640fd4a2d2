#include "launch/sweep_file/sweep_limits.hpp"

#include <fmt/format.h>

#include "scheduler/schedulers/brackets.hpp"

namespace crescendo::launch {

std::optional<std::chrono::seconds> read_time(const YamlSection& section, const char* key) {
    return section.duration(key, "a duration; write it like 8h, 90m, 1h30m, 45s or 08:00:00");
}

void read_budget(const YamlSection& file, SweepFile& result) {
    const auto budget = file.section("budget", "{time: 8h}");
    if (!budget) {
        return;
    }
    budget->allow({"time", "target"});
    file.attempt([&] { result.time_budget = read_time(*budget); });
    file.attempt([&] {
        const auto target = budget->number("target");
        if (target && result.spec.target) {
            budget->fail("target", "is given here and as metric.target; remove one of the two");
        }
        result.spec.target = target ? target : result.spec.target;
    });
    result.spec.has_time_budget = result.time_budget.has_value();
}

void read_trial_end(const YamlSection& file, TrialEnd& end) {
    const auto trial = file.section("trial", "{target: 0.93, time: 90s}");
    if (!trial) {
        return;
    }
    trial->allow({"target", "time"});
    file.attempt([&] { end.target = trial->number("target"); });
    file.attempt([&] {
        if (const auto time = read_time(*trial)) {
            end.seconds = std::chrono::duration<double>(*time).count();
        }
    });
}

void read_patience(const YamlSection& file, Patience& patience) {
    const auto section = file.section("patience", "{trials: 30}");
    if (!section) {
        return;
    }
    section->allow({"trials", "resource"});
    file.attempt([&] { patience.trials = section->small_integer("trials"); });
    file.attempt([&] { patience.resource = section->small_integer("resource"); });
}

namespace {

/// The maximum number of trials that a rung ends at the same time; 0 if each trial is judged when it arrives.
std::int64_t most_ended_at_once(const SweepSpec& spec) {
    const auto& scheduler = spec.scheduler;
    const bool has_ladder = scheduler.has_max() && scheduler.reduction_factor >= 2 && scheduler.min.value >= 1 &&
                            scheduler.min < scheduler.max;
    const auto losers_of = [&](std::int64_t size) { return size - size / scheduler.reduction_factor; };
    if (scheduler.kind == SchedulerKind::successive_halving && has_ladder) {
        return losers_of(spec.run_cap.value_or(0));
    }
    if (scheduler.kind == SchedulerKind::hyperband && has_ladder) {
        return losers_of(bracket_sizes(milestones(scheduler).size(), scheduler.reduction_factor).front());
    }
    return 0;
}

}  // namespace

void remark_on_patience(SweepFile& result) {
    const auto& spec = result.spec;
    if (const auto most = most_ended_at_once(spec); spec.patience.trials && *spec.patience.trials <= most) {
        result.remarks.push_back(
            {"patience.trials",
             fmt::format("is {}, but a rung of {} can end {} trials at once, which could end the sweep while the "
                         "better ones still train; use {} or more",
                         *spec.patience.trials, scheduler_kinds.of(spec.scheduler.kind), most, most + 1)});
    }
    const bool is_pasha = spec.scheduler.kind == SchedulerKind::pasha;
    if (spec.patience.trials && (is_pasha || spec.scheduler.mode == Mode::promote)) {
        result.remarks.push_back(
            {"patience.trials",
             fmt::format("counts trials that end, but with {}, losing trials only pause, so few count and the sweep "
                         "ends late; add a budget:, or use {}",
                         is_pasha ? "type: pasha" : "mode: promote", is_pasha ? "type: asha" : "mode: stop")});
    }
}

std::optional<std::chrono::seconds> read_hang_timeout(const YamlSection& file, bool has_warm_trainers) {
    if (!file.has("hang_timeout")) {
        return has_warm_trainers ? std::optional(std::chrono::seconds(300)) : std::nullopt;
    }
    if (const auto& value = file.at("hang_timeout"); value == "off" || value == false) {
        return {};
    }
    return file.duration("hang_timeout",
                         "a time limit for a silent worker (5s is the minimum); write it like 5m, 90s or 1h, or off",
                         std::chrono::seconds(5));
}

}  // namespace crescendo::launch
