#include "launch/sweep_file/sweep_defaults.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "launch/sweep_file/sections/sweep_scheduler.hpp"
#include "scheduler/ladder.hpp"
#include "scheduler/space/grid.hpp"

namespace crescendo::launch {
namespace {

constexpr int default_eta = 3;  // W&B's default, and ours

int read_eta(const YamlSection& section) {
    const double eta = section.number("eta").value_or(default_eta);
    if (eta != std::floor(eta) || eta < 2 || eta > 1'000'000) {
        section.fail("eta",
                     fmt::format("is {}, but rungs are at powers of a small whole number here; use 2, 3 or 4", eta));
    }
    return static_cast<int>(eta);
}

/// W&B's `s` rungs, at max_iter / eta, max_iter / eta^2, … down to 1, in ascending order.
std::vector<std::int64_t> wandb_rungs(std::int64_t max_iter, std::int64_t num_rungs, int eta) {
    std::vector<std::int64_t> rungs;
    for (auto rung = max_iter / eta; rung >= 1 && std::ssize(rungs) < num_rungs; rung /= eta) {
        rungs.insert(rungs.begin(), rung);
    }
    return rungs;
}

std::string text_of_scheduler(const SchedulerSpec& spec) {
    return fmt::format("{{type: asha, min: {}, {}reduction_factor: {}}}", spec.min.value,
                       spec.has_max() ? fmt::format("max: {}, ", spec.max.value) : "", spec.reduction_factor);
}

SchedulerSpec read_early_terminate(const YamlSection& section) {
    section.allow({"type", "min_iter", "max_iter", "s", "eta", "strict"});
    section.word("type", {"hyperband"});
    SchedulerSpec spec;
    spec.kind = SchedulerKind::asha;
    spec.reduction_factor = read_eta(section);
    const auto min_iter = section.integer("min_iter");
    const auto max_iter = section.integer("max_iter");
    const auto num_rungs = section.integer("s");
    if (!min_iter && !(max_iter && num_rungs)) {
        section.fail("", "does not say when trials are judged; add min_iter: 3, or max_iter: 27 and s: 2");
    }
    for (const auto* key : {"min_iter", "max_iter", "s"}) {
        if (section.integer(key).value_or(1) < 1) {
            section.fail(key, fmt::format("is {}; use 1 or more", *section.integer(key)));
        }
    }
    spec.max = max_iter ? Resource{*max_iter} : unlimited_resource;
    if (max_iter && num_rungs) {
        const auto rungs = wandb_rungs(*max_iter, *num_rungs, spec.reduction_factor);
        spec.min = Resource{rungs.empty() ? *max_iter : rungs.front()};
    } else {
        spec.min = Resource{*min_iter};
    }
    return spec;
}

/// Explains W&B's rule in our words. Our rungs are the first one times powers of eta; W&B rounds each rung separately.
std::string meaning_of(const YamlSection& early_terminate, const SchedulerSpec& spec) {
    const auto meaning = fmt::format("means scheduler: {} here", text_of_scheduler(spec));
    if (!spec.has_max()) {
        return meaning + ", without a max: a trial ends when its program does";
    }
    const auto with_end = fmt::format(
        "{}: a trial is complete at {}, but W&B lets it continue; if your program trains longer, write that scheduler "
        "with a larger max",
        meaning, spec.max.value);
    const auto others = wandb_rungs(spec.max.value, early_terminate.integer("s").value_or(0), spec.reduction_factor);
    if (others.empty()) {
        return with_end;
    }
    auto rungs = ladder(spec.min.value, spec.max.value, spec.reduction_factor);
    rungs.pop_back();  // the last one, at which a trial is complete
    return others == rungs ? with_end
                           : fmt::format("{}; rungs are at {}, but W&B has them at {}", with_end,
                                         fmt::join(rungs, ", "), fmt::join(others, ", "));
}

/// Whether `scheduler` has only a limit on concurrent trials, which an option of a command can add to any sweep.
bool only_limits_trials(const YamlSection& file) {
    return file.has("scheduler") && file.at("scheduler").size() == 1 && file.at("scheduler").contains("max_concurrent");
}

}  // namespace

void read_schedule(const YamlSection& file, SweepFile& result) {
    auto& spec = result.spec.scheduler;
    const bool has_trainer = file.has("trainer");
    const bool only_limits = only_limits_trials(file);
    if (file.has("scheduler") && !only_limits) {
        if (const auto section = file.section("early_terminate", "{type: hyperband, min_iter: 3}")) {
            const bool is_in_file = result.source.has("scheduler");  // rather than in an override by the command
            file.fail("early_terminate",
                      is_in_file
                          ? "both scheduler and this say which trials are stopped; remove one of the two"
                          : fmt::format("the command changes the scheduler, but this is W&B's form of one; write "
                                        "scheduler: {} instead",
                                        text_of_scheduler(read_early_terminate(*section))));
        }
        spec = read_scheduler(file.section("scheduler", "{type: asha, max: 27}").value());
    } else if (const auto section = file.section("early_terminate", "{type: hyperband, min_iter: 3}")) {
        spec.kind = SchedulerKind::asha;  // set even if the rest cannot be read
        spec = read_early_terminate(*section);
        if (has_trainer && !spec.has_max()) {
            section->fail("max_iter",
                          "is missing: without it, crescendo-trainer would train forever; add max_iter: 27 and s: 2");
        }
        result.remarks.push_back({"early_terminate", meaning_of(*section, spec)});
    } else if (has_trainer) {
        file.fail("scheduler",
                  "is missing: it says how long trials train and which ones are stopped; add scheduler: {type: asha, "
                  "min: 1, max: 27, reduction_factor: 3}");
    } else {
        spec.kind = SchedulerKind::fifo;
        spec.max = unlimited_resource;
        result.remarks.push_back(
            {"scheduler", fmt::format("{}: every trial trains until its program ends; to stop bad ones early, add "
                                      "scheduler: {{type: asha, min: 1, max: 27}}",
                                      only_limits ? "stops no trial" : "is missing")});
    }
    if (only_limits) {
        spec.max_concurrent = file.section("scheduler", "{max_concurrent: 8}")->small_integer("max_concurrent");
    }
}

void add_missing_run_cap(const YamlSection& file, SweepFile& result) {
    auto& spec = result.spec;
    if (file.mistakes().concern("run_cap")) {
        return;
    }
    if (spec.sampler == "grid") {
        const bool is_missing = !spec.run_cap;
        spec.run_cap = spec.run_cap.value_or(1);  // if the grid is unknown, that is the mistake to report
        if (file.mistakes().lie_in("parameters")) {
            return;
        }
        const auto size = Grid(spec.space).num_configurations();
        if (is_missing) {
            result.remarks.push_back({"run_cap", fmt::format("is missing: the grid has {} points", size)});
        }
        spec.run_cap = is_missing ? size : std::min(*spec.run_cap, size);
    } else if (!spec.run_cap && !spec.target && !spec.has_time_budget && !file.mistakes().lie_in("budget") &&
               spec.scheduler.kind != SchedulerKind::successive_halving) {
        spec.run_cap = default_run_cap;
        result.remarks.push_back(
            {"run_cap", fmt::format("is missing: {} trials run; add run_cap: or budget:", default_run_cap)});
    }
}

void remark_on_initial(SweepFile& result) {
    const auto& spec = result.spec;
    const auto count = std::ssize(spec.initial);
    if (spec.run_cap && count > *spec.run_cap) {
        result.remarks.push_back(
            {"initial", fmt::format("has {} points, but run_cap is {}, so the last {} left out; raise run_cap", count,
                                    *spec.run_cap,
                                    count - *spec.run_cap == 1 ? "is" : fmt::format("{} are", count - *spec.run_cap))});
    }
}

void remark_on_repetitions(const YamlSection& file, SweepFile& result) {
    const auto& spec = result.spec;
    if (file.mistakes().lie_in("parameters") || file.mistakes().lie_in("constraints") || !spec.run_cap) {
        return;
    }
    constexpr double most_to_count = 100'000;
    double size = 1;
    for (const auto& parameter : spec.space.parameters()) {
        const auto values = FiniteValues::of(parameter.distribution);
        size *= values ? static_cast<double>(values->size()) : most_to_count + 1;
    }
    const auto count = size > most_to_count ? *spec.run_cap : Grid(spec.space).num_configurations();
    if (count < *spec.run_cap && spec.sampler != "program") {
        result.remarks.push_back(
            {"run_cap", fmt::format("is {}, but there {} only {} configuration{}, so trials repeat each other; to try "
                                    "each once, write method: grid",
                                    *spec.run_cap, count == 1 ? "is" : "are", count, count == 1 ? "" : "s")});
    }
}

}  // namespace crescendo::launch
