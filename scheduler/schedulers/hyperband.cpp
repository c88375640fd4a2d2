#include "scheduler/schedulers/hyperband.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "scheduler/schedulers/brackets.hpp"

namespace crescendo {

Hyperband::Hyperband(const SweepSpec& spec)
    : eta_(static_cast<std::size_t>(spec.scheduler.reduction_factor)), run_cap_(spec.run_cap) {
    for (const auto milestone : milestones(spec.scheduler)) {
        rungs_.push_back({milestone});
    }
    if (spec.scheduler.kind == SchedulerKind::successive_halving) {
        sizes_ = {*run_cap_};
    } else {
        sizes_ = bracket_sizes(rungs_.size(), spec.scheduler.reduction_factor);
    }
}

int Hyperband::begin(TrialId trial) {
    if (brackets_.empty() || brackets_.back().vacancies == 0) {
        open_bracket(trial);
    }
    --brackets_.back().vacancies;
    return static_cast<int>(brackets_.size()) - 1;
}

void Hyperband::open_bracket(TrialId first) {
    const std::size_t turn = brackets_.size() % sizes_.size();
    const std::int64_t size = run_cap_ ? std::min<std::int64_t>(sizes_[turn], *run_cap_ - first.value) : sizes_[turn];
    brackets_.push_back({.first_milestone = turn, .vacancies = size, .num_expected = size, .paused = {}});
}

Judgement Hyperband::report(const Trial& trial) {
    int rungs_survived = trial.rungs_survived;
    auto& bracket = bracket_of(trial);
    while (next_milestone(trial.bracket, rungs_survived) <= trial.resource) {
        const auto milestone = bracket.first_milestone + static_cast<std::size_t>(rungs_survived);
        ++rungs_[milestone].size;
        if (milestone + 1 == rungs_.size()) {
            arrive(bracket);
            return {Verdict::complete, rungs_survived};
        }
        const Promotion own{-(rungs_survived + 1), {*trial.loss, trial.id}};
        bracket.paused.push_back(own.second);
        arrive(bracket);
        if (bracket.rung == rungs_survived) {
            return {Verdict::pause, rungs_survived};
        }
        if (promotions_.erase(own) == 0) {
            std::erase(eliminated_, trial.id);
            return {Verdict::stop, rungs_survived};
        }
        ++rungs_survived;
    }
    return {Verdict::go_on, rungs_survived};
}

void Hyperband::leave(const Trial& trial) {
    auto& bracket = bracket_of(trial);
    ++size_of_rung(bracket, trial.rungs_survived);
    arrive(bracket);
}

/// A trial that was to be promoted counts at the next rung, like one that ended before it.
void Hyperband::withdraw(const Trial& trial) {
    auto& bracket = bracket_of(trial);
    if (promotions_.erase({-(trial.rungs_survived + 1), {*trial.loss, trial.id}}) > 0) {
        ++size_of_rung(bracket, bracket.rung);
        arrive(bracket);
    } else {
        bracket.complete.insert(trial.id);
    }
}

bool Hyperband::can_retry(const Trial& trial) const {
    const auto& bracket = brackets_[static_cast<std::size_t>(trial.bracket)];
    return !bracket.is_closed && bracket.rung == trial.rungs_survived;
}

void Hyperband::retry(const Trial& trial) {
    auto& bracket = bracket_of(trial);
    --size_of_rung(bracket, trial.rungs_survived);
    --bracket.num_arrived;
}

/// No bracket waits for these trials any more, and none takes in further trials.
void Hyperband::end_all() {
    for (auto& bracket : brackets_) {
        bracket.vacancies = 0;
        bracket.paused.clear();
        bracket.complete.clear();
        bracket.is_closed = true;
    }
    promotions_.clear();
    eliminated_.clear();
}

/// A bracket that is still filling expects no more trials than will begin.
void Hyperband::change_run_cap(std::optional<int> run_cap, int num_begun) {
    run_cap_ = run_cap;
    if (!run_cap || brackets_.empty()) {
        return;
    }
    fill_up_to(std::max(0, *run_cap - num_begun));
}

void Hyperband::close() {
    if (!brackets_.empty()) {
        fill_up_to(0);
    }
}

/// The last bracket takes in at most `most` more trials.
void Hyperband::fill_up_to(std::int64_t most) {
    auto& bracket = brackets_.back();
    const auto num_missing = bracket.vacancies - most;
    if (num_missing > 0) {
        bracket.vacancies -= num_missing;
        bracket.num_expected -= num_missing;
        decide(bracket);
    }
}

/// The bracket has one trial fewer to wait for.
void Hyperband::arrive(Bracket& bracket) {
    ++bracket.num_arrived;
    decide(bracket);
}

/// Decides the bracket's rung once its last trial has arrived. A rung without paused trials stays undecided, because
/// its failed trials may be retried.
void Hyperband::decide(Bracket& bracket) {
    if (bracket.num_arrived < bracket.num_expected || bracket.paused.empty()) {
        return;
    }
    std::sort(bracket.paused.begin(), bracket.paused.end());
    const auto num_best = std::max<std::size_t>(1, static_cast<std::size_t>(bracket.num_arrived) / eta_);
    const auto end_of_best = std::min(num_best, bracket.paused.size());
    ++bracket.rung;
    bracket.num_expected = static_cast<std::int64_t>(end_of_best);
    bracket.num_arrived = 0;
    for (std::size_t rank = 0; rank < bracket.paused.size(); ++rank) {
        const auto& result = bracket.paused[rank];
        const bool is_complete = bracket.complete.contains(result.trial);
        if (is_complete && rank < end_of_best) {
            ++size_of_rung(bracket, bracket.rung);
            ++bracket.num_arrived;
        } else if (rank < end_of_best) {
            promotions_.insert({-bracket.rung, result});
        } else if (!is_complete) {
            eliminated_.push_back(result.trial);
        }
    }
    bracket.paused = {};
    bracket.complete = {};
}

std::optional<TrialId> Hyperband::promotable() const {
    return promotions_.empty() ? std::nullopt : std::optional(promotions_.begin()->second.trial);
}

void Hyperband::promote() {
    CRESCENDO_EXPECT(!promotions_.empty());
    promotions_.erase(promotions_.begin());
}

Resource Hyperband::next_milestone(int bracket, int rungs_survived) const {
    const auto first = brackets_[static_cast<std::size_t>(bracket)].first_milestone;
    return rungs_[first + static_cast<std::size_t>(rungs_survived)].milestone;
}

}  // namespace crescendo
