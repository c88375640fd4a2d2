#include "simulator/virtual_cluster.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check.hpp"
#include "core/draws.hpp"
#include "scheduler/loss.hpp"

namespace crescendo::simulator {
namespace {

/// A launcher knows roughly how long its regroups take.
SweepSpec with_expected_regroup(SweepSpec sweep, const SimulationSpec& simulation) {
    sweep.scheduler.expected_regroup = sweep.scheduler.expected_regroup.value_or(simulation.regroup);
    return sweep;
}

}  // namespace

void require_few_trials(double num_trials) {
    CRESCENDO_VALIDATE(num_trials <= static_cast<double>(most_simulated_trials), "run_cap",
                       "this sweep has {} trials, but at most {} can be simulated (all are kept in memory); use a "
                       "lower run_cap, such as --set run_cap=100000",
                       static_cast<std::int64_t>(num_trials), most_simulated_trials);
}

void require_few_units(double num_units, const SweepSpec& sweep, std::int64_t most) {
    CRESCENDO_VALIDATE(
        num_units <= static_cast<double>(most), "scheduler.max",
        "this sweep has more than {} reports, too many to simulate: a simulated trial reports after each unit of its "
        "resource, and max is {} units; use a larger unit, such as --set scheduler.min=1 --set scheduler.max=1000",
        most, sweep.scheduler.max.value);
}

VirtualCluster::VirtualCluster(SweepSpec sweep, const SimulationSpec& simulation, int slots,
                               const LearningCurves& curves, TrainingTimes times, std::optional<double> time_budget,
                               std::int64_t most_units)
    : sweep_(with_expected_regroup(std::move(sweep), simulation)),
      simulation_(simulation),
      slots_(slots),
      curves_(curves),
      times_(std::move(times)),
      time_budget_(time_budget),
      most_units_(most_units) {
    CRESCENDO_VALIDATE(slots >= 1, "slots", "there are {} slots (a trial needs one); use 1 or more", slots);
    CRESCENDO_VALIDATE(sweep_.spec().run_cap || time_budget || sweep_.spec().patience.trials, "run_cap",
                       "nothing guarantees that this sweep ends (its target might never be met); give run_cap, "
                       "budget.time or patience.trials");
}

Summary VirtualCluster::run() {
    if (time_budget_) {
        foresee(*time_budget_, Kind::time_up, TrialId{-1}, 0);
    }
    SlotsJoined joined;
    for (int slot = 0; slot < slots_; ++slot) {
        joined.slots.push_back({SlotId{slot}, NodeId{slot / simulation_.slots_per_node}});
    }
    apply(joined);
    while (sweep_.state() == SweepState::running) {
        CRESCENDO_EXPECT(!future_.empty());  // else slots would be idle forever while trials wait
        const auto next = future_.top();
        future_.pop();
        take(next);
    }
    conclude();
    return std::move(summary_);
}

void VirtualCluster::take(const Occurrence& occurrence) {
    if (occurrence.kind == Kind::time_up) {
        now_ = occurrence.time;
        apply(TimeUp{});
        return;
    }
    if (occurrence.kind == Kind::timed || occurrence.kind == Kind::regrouped) {
        const auto& trial = sweep_.trial(occurrence.trial);
        if (trial.status == TrialStatus::running && trial.group.generation == occurrence.plan) {
            now_ = occurrence.time;
            if (occurrence.kind == Kind::timed) {
                tell_first_steps(occurrence.trial, occurrence.plan);
            } else {
                tell_regroup(occurrence.trial, occurrence.plan);
            }
        }
        return;
    }
    if (occurrence.plan != training(occurrence.trial).plan) {
        return;
    }
    now_ = occurrence.time;
    if (occurrence.kind == Kind::failure) {
        interrupt(training(occurrence.trial));
        ++training(occurrence.trial).plan;
        apply(TrialFailed{occurrence.trial, FailureKind::crash, failed_slot(occurrence)});
    } else {
        finish_epoch(occurrence.trial);
    }
}

void VirtualCluster::tell_first_steps(TrialId id, int generation) {
    if (sweep_.trial(id).resource.value == 0) {
        auto& trial = training(id);
        trial.has_told_first_steps = true;
        apply(TrialTimed{id, generation, trial.first_steps.steps, trial.first_steps.samples_per_resource});
    }
}

void VirtualCluster::tell_regroup(TrialId id, int generation) {
    if (const auto* regroup = times_.regroup(id, generation)) {
        apply(TrialRegrouped{id, generation, regroup->told->seconds, regroup->told->step_seconds});
    } else {
        const auto steps = tells_steps_ ? steps_to_come(id) : Steps{};
        apply(TrialRegrouped{id, generation, simulation_.regroup, steps.seconds});
    }
}

void VirtualCluster::finish_epoch(TrialId id) {
    ++num_units_;
    require_few_units(static_cast<double>(num_units_), sweep_.spec(), most_units_);
    auto& trial = training(id);
    advance_clock(trial);
    ++trial.resource.value;
    const bool reports = reports_at(id, trial.resource);
    const auto* reported = times_.reported(id, trial.resource, workers_of(id));
    if (reports && reported != nullptr && reported->trained) {
        trial.clock = trial.reported_clock + *reported->trained;
    }
    trial.reported_clock = reports ? trial.clock : trial.reported_clock;
    trial.worth += batch_efficiency(id, trial.resource);
    trial.left = 1;
    trial.began = now_;
    if (trial.saves) {
        trial.checkpoint = trial.resource;
        trial.saved_clock = trial.clock;
        trial.saved_worth = trial.worth;
    }
    const auto resource = trial.resource;
    const auto told = reported != nullptr && reported->steps ? *reported->steps : steps_of(id, resource);
    const auto steps = tells_steps_ ? told : Steps{};
    const double clock = trial.clock;
    const double worth = trial.worth;
    const int plan = trial.plan;
    if (reports && resource > sweep_.trial(id).resource) {  // else a resumed trial repeats known reports
        const double loss = curves_.loss(id, resource, worth);
        if (!sweep_.spec().repeat.is_on()) {
            note_best(id, resource, loss);
        }
        ++summary_.num_reports;
        if (watcher_) {
            watcher_({now_, id, resource, loss, workers_of(id)});
        }
        apply(TrialReported{id, resource, loss, clock, steps});
        if (const auto best = may_have_better_ ? sweep_.best() : std::nullopt) {
            note_best(*best, sweep_.trial(*best).resource, *sweep_.candidate_of(*best).loss);
            may_have_better_ = false;
        }
    }
    if (training(id).plan == plan && sweep_.trial(id).status == TrialStatus::running) {
        begin_epoch(id, 0);
    }
}

void VirtualCluster::apply(const Event& event) {
    decide(event);
    while (const auto proposed = source_(sweep_)) {
        decide(*proposed);
    }
    note_use();
}

void VirtualCluster::decide(const Event& event) {
    if (listener_) {
        listener_(now_, event);
    }
    const auto actions = sweep_.apply(event);
    if (sweep_.spec().repeat.is_on()) {
        look_for_better(event);
    }
    trainings_.resize(sweep_.trials().size());
    for (const auto& action : actions) {
        std::visit([this](const auto& each) { perform(each); }, action);
    }
}

void VirtualCluster::perform(const StartTrial& action) {
    ++summary_.num_trials;
    note_group(action.group.slots, /*is_regroup=*/false);
    const double start = start_of(action.trial);
    begin_epoch(action.trial, start);
    foresee_first_steps(action.trial, action.group.generation, start);
}

void VirtualCluster::perform(const ResumeTrial& action) {
    auto& trial = training(action.trial);
    trial.resource = trial.checkpoint;
    trial.clock = trial.saved_clock;
    trial.reported_clock = trial.saved_clock;
    trial.worth = trial.saved_worth;
    ++summary_.num_resumptions;
    note_group(action.group.slots, /*is_regroup=*/false);
    trial.has_told_first_steps = false;
    const double start = start_of(action.trial) + (trial.checkpoint.value > 0 ? simulation_.checkpoint : 0);
    begin_epoch(action.trial, start);
    foresee_first_steps(action.trial, action.group.generation, start);
}

void VirtualCluster::perform(const Regroup& action) {
    note_group(action.group.slots, /*is_regroup=*/true);
    interrupt(training(action.trial));
    const int generation = action.group.generation;
    const auto* recorded = times_.regroup(action.trial, generation);
    const double seconds = recorded == nullptr ? simulation_.regroup : recorded->seconds;
    go_on(action.trial, /*wait=*/0, seconds);
    if (recorded == nullptr) {
        const double first_steps = num_first_steps * *steps_to_come(action.trial).seconds;
        foresee(seconds + first_steps, Kind::regrouped, action.trial, generation);
    } else if (recorded->told) {
        foresee(recorded->told->after, Kind::regrouped, action.trial, generation);
    }
    if (!training(action.trial).has_told_first_steps) {
        foresee_first_steps(action.trial, generation, seconds);
    }
}

void VirtualCluster::perform(const PauseTrial& action) { ++training(action.trial).plan; }

void VirtualCluster::perform(const StopTrial& action) {
    ++training(action.trial).plan;
    summary_.num_complete += sweep_.trial(action.trial).status == TrialStatus::finished ? 1 : 0;
}

void VirtualCluster::perform(const DropCheckpoint&) {}

void VirtualCluster::perform(const FinishSweep& action) { summary_.reason = action.reason; }

/// Seconds until the trial, which has just been given slots, begins its next epoch.
double VirtualCluster::start_of(TrialId id) {
    return times_.start(id, Resource{training(id).resource.value + 1});
}

/// Queues the report of a trial's first steps, if the trial has not reported yet. It trains from `start` seconds on.
void VirtualCluster::foresee_first_steps(TrialId id, int generation, double start) {
    if (!tells_steps_ || !sweep_.spec().scheduler.grows_early() || sweep_.trial(id).resource.value > 0) {
        return;
    }
    const auto steps = steps_to_come(id);
    const double seconds = start + num_first_steps * *steps.seconds;
    if (const auto told = times_.first_steps(id, generation, {seconds, steps, simulation_.samples})) {
        training(id).first_steps = *told;
        foresee(told->told, Kind::timed, id, generation);
    }
}

/// The trial begins its next epoch, after `wait` seconds.
void VirtualCluster::begin_epoch(TrialId id, double wait) {
    training(id).left = 1;
    go_on(id, wait, /*regroup=*/0);
}

/// The training clock counts steps and regroups, but neither starts nor checkpoints.
void VirtualCluster::advance_clock(Training& trial) const {
    const double trained_until = std::min(now_, trial.began + trial.left / trial.speed);
    trial.clock += std::max(0.0, trained_until - trial.counted_from);
    trial.counted_from = now_;
}

/// Counts what the trial has trained of its present epoch until now.
void VirtualCluster::interrupt(Training& trial) const {
    advance_clock(trial);
    trial.left -= std::clamp((now_ - trial.began) * trial.speed, 0.0, trial.left);
    trial.began = now_;
}

/// The trial continues with its present group, after `wait` seconds and a regroup of `regroup` seconds. Makes the
/// events that were queued for it void.
void VirtualCluster::go_on(TrialId id, double wait, double regroup) {
    const int workers = workers_of(id);
    auto& trial = training(id);
    const Resource next{trial.resource.value + 1};
    trial.saves = next >= sweep_.next_milestone(id) && reports_at(id, next);
    ++trial.plan;
    const double epoch = times_.epoch(id, next, workers);
    trial.counted_from = now_ + wait;
    trial.began = trial.counted_from + regroup;
    trial.speed = 1 / epoch;
    const double seconds = wait + regroup + trial.left * epoch + (trial.saves ? simulation_.checkpoint : 0);
    const auto failure = seconds_to_failure(id, workers);
    if (failure && *failure < seconds) {
        foresee(*failure, Kind::failure, id, trial.plan);
    } else {
        foresee(seconds, Kind::epoch_done, id, trial.plan);
    }
}

/// Whether the trial reports when it has consumed `resource`. It always does at the end of its training.
bool VirtualCluster::reports_at(TrialId id, Resource resource) const {
    return resource >= sweep_.spec().scheduler.max || curves_.has_report(id, resource);
}

/// Samples per step of the trial's group.
double VirtualCluster::batch_of(TrialId id) const {
    return simulation_.batch * sweep_.trial(id).group.batch.multiple;
}

/// The gradient noise scale at `resource`; nothing if none is simulated.
std::optional<double> VirtualCluster::noise_scale_at(Resource resource) const {
    if (simulation_.noise_scale == 0) {
        return {};
    }
    const auto share = static_cast<double>(resource.value) / static_cast<double>(sweep_.spec().scheduler.max.value);
    return simulation_.noise_scale * std::pow(simulation_.noise_growth, share);
}

/// The worth of a sample in the group's batch in the epoch that ends at `resource`, relative to one in the batch before
/// it grew (Qiao et al., Pollux, OSDI 2021).
double VirtualCluster::batch_efficiency(TrialId id, Resource resource) const {
    const auto noise = noise_scale_at(resource);
    return noise ? (*noise + simulation_.batch) / (*noise + batch_of(id)) : 1.0;
}

/// What the trial reports about its steps in the epoch that ends at `resource`.
Steps VirtualCluster::steps_of(TrialId id, Resource resource) const {
    if (const auto* reported = times_.reported(id, resource, workers_of(id));
        reported && reported->steps && reported->steps->seconds) {
        return *reported->steps;
    }
    const double batch = batch_of(id);
    const double epoch = times_.epoch(id, resource, workers_of(id));
    const double deviation = simulation_.step_noise *
                             (2.0 * draws(sweep_.spec().seed, Purpose::timing, id, resource.value).uniform() - 1.0);
    return {epoch * (1.0 + deviation) * batch / simulation_.samples, batch, noise_scale_at(resource)};
}

/// What the trial will report about its steps in the epoch that it trains now.
Steps VirtualCluster::steps_to_come(TrialId id) const {
    return steps_of(id, Resource{trainings_[static_cast<std::size_t>(id.value)].resource.value + 1});
}

void VirtualCluster::foresee(double seconds, Kind kind, TrialId trial, int plan) {
    future_.push({now_ + seconds, num_foreseen_++, kind, trial, plan});
}

/// Seconds until the group fails: each worker fails at a constant rate, and one failure is enough. None if workers
/// never fail.
std::optional<double> VirtualCluster::seconds_to_failure(TrialId trial, int workers) const {
    if (simulation_.failures == 0) {
        return {};
    }
    const auto plan = trainings_[static_cast<std::size_t>(trial.value)].plan;
    const double uniform = draws(sweep_.spec().seed, Purpose::failing, trial, plan).uniform();
    return -std::log(1.0 - uniform) * 3600.0 / (simulation_.failures * workers);
}

/// The slot of a random worker of the group.
SlotId VirtualCluster::failed_slot(const Occurrence& occurrence) const {
    const auto& slots = sweep_.trial(occurrence.trial).group.slots;
    auto draw = draws(sweep_.spec().seed, Purpose::failing, occurrence.trial, occurrence.plan);
    draw.uniform();  // seconds_to_failure() has used this number
    return slots[draw.below(slots.size())];
}

bool VirtualCluster::is_better(double loss) const {
    const auto& best = summary_.best_over_time;
    return std::isfinite(loss) && (best.empty() || loss < best.back().loss);
}

void VirtualCluster::note_best(TrialId trial, Resource resource, double loss) {
    if (is_better(loss)) {
        summary_.best_over_time.push_back({now_, loss, trial, resource});
    }
}

/// Notes whether an event may have changed the best configuration. Sweep::best() looks at all configurations, which is
/// too slow for every report. An event changes only the loss of its own trial's configuration, unless it ends the
/// sweep.
void VirtualCluster::look_for_better(const Event& event) {
    const auto look_at = [&](const auto& about) {
        if constexpr (requires { about.trial; }) {
            if (sweep_.has(about.trial)) {  // a proposal comes before its trial
                const auto loss = sweep_.candidate_of(about.trial).loss.value_or(worst_loss);
                may_have_better_ = may_have_better_ || is_better(loss);
            }
        }
    };
    std::visit(look_at, event);
    may_have_better_ = may_have_better_ || sweep_.state() != SweepState::running;
}

/// Counts groups and regroups. A single worker needs no communicator, so it is not a new group.
void VirtualCluster::note_group(std::vector<SlotId> slots, bool is_regroup) {
    std::sort(slots.begin(), slots.end());
    const bool is_new = slots.size() > 1 && groups_.insert(std::move(slots)).second;
    summary_.num_regroups += is_regroup ? 1 : 0;
    summary_.num_new_groups += is_regroup && is_new ? 1 : 0;
}

/// Records the number of slots in use. Changes at the same time count as one.
void VirtualCluster::note_use() {
    const int used = sweep_.num_slots() - sweep_.num_free_slots();
    auto& use = summary_.slot_use;
    if (!use.empty() && use.back().seconds == now_) {
        use.back().slots = used;
    } else if (use.empty() || use.back().slots != used) {
        use.push_back({now_, used});
    }
}

void VirtualCluster::conclude() {
    summary_.slots = slots_;
    summary_.makespan = now_ + simulation_.evaluation;
    const auto& use = summary_.slot_use;
    for (std::size_t i = 0; i + 1 < use.size(); ++i) {
        summary_.slot_seconds_used += use[i].slots * (use[i + 1].seconds - use[i].seconds);
    }
    summary_.num_failed = sweep_.count(TrialStatus::failed);
    summary_.best = sweep_.best();
    if (summary_.best) {
        summary_.best_loss = sweep_.candidate_of(*summary_.best).loss;
    }
}

}  // namespace crescendo::simulator
