#include "scheduler/growth/growth.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check.hpp"

namespace crescendo {
namespace {

int size_of(const Trial& trial) { return static_cast<int>(trial.group.slots.size()); }

/// The least gain that is worth a hopeful try.
constexpr double least_hope = 1.05;

bool is_positive(double number) { return std::isfinite(number) && number > 0; }

/// The worth of a sample in a batch of `to` samples, relative to one in a batch of `from` samples.
double efficiency(double noise_scale, double from, double to) {
    return noise_scale > 0 ? (noise_scale + from) / (noise_scale + to) : 1.0;
}

/// The speedup to hope for. Beyond the most workers that were measured, it includes the prediction's error.
double hoped(const Speedup& gain) { return gain.is_next && !gain.is_gain() ? gain.ratio + gain.error : gain.ratio; }

}  // namespace

Growth::Growth(const SchedulerSpec& spec)
    : when_(spec.grow_when),
      second_try_(spec.second_try),
      hopeful_tries_(spec.hopeful_tries),
      max_(spec.max),
      batch_(spec.batch),
      min_efficiency_(spec.min_efficiency),
      expected_regroup_(spec.expected_regroup) {}

void Growth::note_steps(const Trial& trial, const TrialReported& report) {
    const auto& steps = report.steps;
    if (!is_positive(*steps.seconds) || trial.group.slots.empty()) {
        return;
    }
    auto& now = entry(trial.id);
    const double unit = is_timed(trial.id) ? now.at.batch / now.batch_multiple : 1.0;
    const Setting at{size_of(trial), steps.batch && is_positive(*steps.batch) ? *steps.batch
                                                                              : unit * trial.group.batch.multiple};
    const bool is_first = !times_.knows(trial.id);
    times_.note(trial.id, at, *steps.seconds);

    const bool is_same_group = is_first || now.generation == trial.group.generation;
    if (report.seconds) {
        const double trained = *report.seconds - trial.seconds.value_or(0);
        const auto resource = static_cast<double>(report.resource.value - trial.resource.value);
        const double samples_per_second = at.batch / *steps.seconds;
        if (!is_positive(trained)) {
            // The trial continued from a checkpoint, and its clock with it.
        } else if (is_same_group) {
            samples_per_resource_ = now.samples_per_resource = trained * samples_per_second / resource;
        } else if (now.samples_per_resource && now.timed_generation != trial.group.generation) {
            const double training = resource * *now.samples_per_resource / samples_per_second;
            regroup_times_.note(now.at.workers, at.workers, std::max(0.0, trained - training));
        }
    }
    now.at = at;
    now.batch_multiple = trial.group.batch.multiple;
    now.generation = trial.group.generation;
    now.first = is_first ? at : now.first;
    now.noise_scale = steps.batch ? steps.noise_scale.value_or(now.noise_scale) : 0.0;  // which is in samples
}

Growth::Reported& Growth::entry(TrialId trial) {
    const auto index = static_cast<std::size_t>(trial.value);
    reported_.resize(std::max(reported_.size(), index + 1));
    return reported_[index];
}

bool Growth::note(const Trial& trial, const TrialTimed& timed) {
    const auto& [seconds, batch, noise_scale] = timed.steps;
    const bool has_reported = times_.knows(trial.id) && !is_timed(trial.id);
    if (has_reported || timed.generation != trial.group.generation || !seconds || !is_positive(*seconds) || !batch ||
        !is_positive(*batch)) {
        return false;
    }
    auto& now = entry(trial.id);
    if (!times_.knows(trial.id)) {  // else the trial begins again
        now.at = now.first = {size_of(trial), *batch};
        now.batch_multiple = trial.group.batch.multiple;
        now.generation = now.timed_generation = timed.generation;
        now.noise_scale = noise_scale.value_or(0);
        if (timed.samples_per_resource && is_positive(*timed.samples_per_resource)) {
            now.samples_per_resource = timed.samples_per_resource;
        }
        times_.note(trial.id, now.at, *seconds);
    }
    return std::exchange(now.begun_generation, timed.generation) != timed.generation;
}

void Growth::note(const Trial& trial, const TrialRegrouped& regrouped) {
    if (!times_.knows(trial.id) || regrouped.generation != trial.group.generation ||
        !std::isfinite(regrouped.seconds) || regrouped.seconds < 0) {
        return;
    }
    auto& now = reported_[static_cast<std::size_t>(trial.id.value)];
    if (std::exchange(now.timed_generation, regrouped.generation) != regrouped.generation) {
        regroup_times_.note(now.at.workers, size_of(trial), regrouped.seconds);
    }
    if (regrouped.step_seconds && is_positive(*regrouped.step_seconds)) {
        times_.note(trial.id, setting(trial, size_of(trial)), *regrouped.step_seconds);
        end_try(trial.id);
    }
}

/// Whether the size was measured only once and was slower, which a straggling step would also explain.
bool Growth::is_doubtful(const Speedup& gain) const {
    return second_try_ == Switch::on && gain.is_single && gain.ratio + gain.error < 1.0;
}

/// Whether a size beyond `size`, the most workers that were measured, may be tried in the hope that its prediction is
/// wrong.
bool Growth::is_hopeful(const Trial& trial, int size) const {
    if (when_ != GrowWhen::goodput || hopeful_tries_ == HopefulTries::off) {
        return false;
    }
    if (hopeful_tries_ == HopefulTries::on) {
        return true;
    }
    const auto last_gain = goodput(trial, times_.narrower(trial.id, size).front(), size);
    return last_gain && last_gain->ratio > least_hope;
}

/// Whether only a try can tell what the change is worth.
bool Growth::is_unsure(const std::optional<Speedup>& gain) const {
    return !gain || (!gain->is_measured && !gain->is_gain() && hoped(*gain) > least_hope) || is_doubtful(*gain);
}

int Growth::choose(const Trial& trial, const std::vector<int>& sizes) {
    const auto tries = tries_of(trial, sizes.back());
    const int chosen = choose(trial, sizes, tries);
    if (tries == Tries::forbidden && expected_regroup_ && chosen == size_of(trial) &&
        choose(trial, sizes, Tries::allowed) > chosen) {
        waiting_.insert(trial.id);
    }
    return chosen;
}

bool Growth::wants(const Trial& trial, const std::vector<int>& sizes) const {
    return choose(trial, sizes, Tries::allowed) > size_of(trial);
}

int Growth::choose(const Trial& trial, const std::vector<int>& sizes, Tries tries) const {
    if (when_ == GrowWhen::always || !times_.knows(trial.id)) {
        return sizes.back();
    }
    const int size = size_of(trial);
    int best = size;
    for (const int larger : sizes) {
        const auto gain = goodput(trial, best, larger);
        if (is_unsure(gain) ? tries == Tries::allowed : gain->is_gain()) {
            best = larger;
        }
    }
    return best > size && pays(trial, best) ? best : size;
}

/// Whether the trial may try an unmeasured size now. While another trial tries one, only if the try costs next to
/// nothing.
Growth::Tries Growth::tries_of(const Trial& trial, int size) const {
    constexpr double next_to_nothing = 0.001;  // share of the time that the trial has left to train
    if (when_ != GrowWhen::goodput || !trying_ || !times_.knows(trial.id)) {
        return Tries::allowed;
    }
    const auto left = seconds_left(trial);
    const auto cost = price(trial, size);
    if (trial.resource.value == 0 && !samples_per_resource_) {
        return Tries::forbidden;  // trials begin at once, and all would have tried before the first result
    }
    return !left || (cost && *cost < next_to_nothing * *left) ? Tries::allowed : Tries::forbidden;
}

bool Growth::is_as_fast_with(const Trial& trial, int size) const {
    if (when_ == GrowWhen::always || !times_.knows(trial.id)) {
        return false;
    }
    const auto gain = goodput(trial, size, size_of(trial));
    return gain && !gain->is_gain();
}

int Growth::fastest_size(const Trial& trial, int least) const {
    const int size = size_of(trial);
    if (when_ == GrowWhen::always || size <= least || !times_.knows(trial.id)) {
        return size;
    }
    int best = size;
    for (const int smaller : times_.narrower(trial.id, size)) {
        const auto gain = goodput(trial, best, smaller);
        if (smaller >= least && gain && gain->is_measured && gain->is_gain()) {
            best = smaller;
        }
    }
    return best < size && pays(trial, best) ? best : size;
}

void Growth::note_growth(const Trial& trial, int size) {
    if (!times_.knows(trial.id)) {
        return;
    }
    auto& now = reported_[static_cast<std::size_t>(trial.id.value)];
    if (is_unsure(goodput(trial, size_of(trial), size))) {
        trying_ = trial.id;
    }
    const auto speedup = times_.speedup(trial.id, now.first, setting(trial, size));
    now.predicted_speedup = speedup ? std::optional(speedup->ratio) : std::nullopt;
}

std::optional<double> Growth::predicted_speedup(TrialId trial) const {
    return times_.knows(trial) ? reported(trial).predicted_speedup : std::nullopt;
}

std::optional<Speedup> Growth::goodput(const Trial& trial, int from, int to) const {
    const auto before = setting(trial, from);
    const auto after = setting(trial, to);
    auto gain = times_.speedup(trial.id, before, after);
    if (gain && when_ == GrowWhen::goodput) {
        const double worth = efficiency(reported(trial.id).noise_scale, before.batch, after.batch);
        gain->ratio *= worth;
        gain->error *= worth;
    }
    if (gain) {
        gain->is_next = gain->is_next && is_hopeful(trial, from);
    }
    return gain;
}

/// Whether the change saves more time than it costs, if the trial trains to its end. If the gain is unknown or in
/// doubt, assumes a perfect speedup.
bool Growth::pays(const Trial& trial, int size) const {
    const auto cost = price(trial, size);
    const auto left = seconds_left(trial);
    if (when_ != GrowWhen::goodput || !cost || !left) {
        return true;
    }
    const auto gain = goodput(trial, size_of(trial), size);
    const double ratio = gain && !is_doubtful(*gain) ? hoped(*gain) : static_cast<double>(size) / size_of(trial);
    return *left * (1.0 - 1.0 / ratio) > *cost;
}

/// Seconds from the trial's last report to its end, with the group that it has; nothing if its reports have no clock.
std::optional<double> Growth::seconds_left(const Trial& trial) const {
    const auto& its = reported(trial.id);
    const auto& samples =
        its.begun_generation && !its.samples_per_resource ? samples_per_resource_ : its.samples_per_resource;
    const auto now = setting(trial, size_of(trial));
    const auto step = times_.seconds(trial.id, now);
    if (!samples || !step) {
        return std::nullopt;
    }
    return static_cast<double>(max_.value - trial.resource.value) * *samples * *step / now.batch;
}

/// Seconds for which the trial would stand still if its group changed to `size`; nothing if unknown.
std::optional<double> Growth::price(const Trial& trial, int size) const {
    const auto measured = regroup_times_.seconds(size_of(trial), size);
    return measured ? measured : expected_regroup_;
}

/// Workers and batch of the trial if its group had `size` workers.
Setting Growth::setting(const Trial& trial, int size) const {
    const auto& now = reported(trial.id);
    return {size, now.at.batch * batch_multiple(trial, size) / now.batch_multiple};
}

int Growth::batch_multiple(const Trial& trial, int size) const {
    switch (batch_) {
        case BatchPolicy::ladder:
            return trial.target_workers;
        case BatchPolicy::per_worker:
            return size;
        case BatchPolicy::global:
            return 1;
        case BatchPolicy::adaptive:
            return adaptive_multiple(trial, size);
    }
    expectation_failed("a BatchPolicy", __FILE__, __LINE__);
}

int Growth::adaptive_multiple(const Trial& trial, int size) const {
    if (!times_.knows(trial.id)) {
        return 1;
    }
    const auto& now = reported(trial.id);
    if (now.begun_generation && trial.rungs_survived == 0) {
        return 1;
    }
    const int most = size / now.first.workers;
    const double first = now.at.batch / now.batch_multiple;
    int multiple = 1;
    while (2 * multiple <= most &&
           (2 * multiple <= trial.group.batch.multiple ||
            (now.noise_scale > 0 && efficiency(now.noise_scale, first, 2 * multiple * first) >= min_efficiency_))) {
        multiple *= 2;
    }
    return multiple;
}

}  // namespace crescendo
