#include "launch/coordinator/departure.hpp"

#include "launch/agent/agent_setup.hpp"
#include "launch/coordinator/failures.hpp"
#include "launch/journal/directory_error.hpp"

namespace crescendo::launch {
namespace {

/// Agents kill trainers that do not leave in time, and need some more time to report it.
std::chrono::seconds patience() { return save_timeout_of_environment() + std::chrono::seconds(10); }

}  // namespace

Departure::Departure(Decisions& decisions, Orders& orders, LiveView& view)
    : decisions_(decisions),
      orders_(orders),
      groups_(orders.groups()),
      view_(view),
      patience_(std::chrono::steady_clock::now(), patience()) {}

/// The time during which this process stood still, as in a suspended job, does not count. Agents measure their
/// deadlines in the same way.
bool Departure::begin_turn(std::chrono::steady_clock::time_point now) {
    const bool has_patience = !patience_.stopped(now);
    const bool is_clean = !orders_.clean_up(std::chrono::steady_clock::now() + longest_cleaning);
    const bool is_over = decisions_.sweep().state() != SweepState::running;
    return (groups_.is_anybody_leaving() && has_patience) || (is_over && !is_clean);
}

std::chrono::milliseconds Departure::period() const {
    return std::chrono::milliseconds(groups_.is_anybody_leaving() ? 100 : 0);
}

void Departure::take(const LeftTrial& notice) {
    if (!notice.problem.empty()) {
        view_.say(problem_of(notice));
    }
    groups_.note_departure(notice.trial, notice.slot);
}

void Departure::take(const CheckpointFailed& notice) {
    groups_.note_death(notice.trial, notice.slot);
    problem_ = problem_of(notice);
}

void Departure::conclude() {
    if (groups_.is_anybody_leaving()) {
        view_.say("some workers did not leave in time; what they saved before is kept");
    }
    if (problem_) {
        throw DirectoryError(*problem_);
    }
}

}  // namespace crescendo::launch
