#include "scheduler/trial.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "core/words.hpp"
#include "scheduler/loss.hpp"

namespace crescendo {

const char* to_string(TrialStatus status) {
    static constexpr Words statuses{{std::pair{TrialStatus::running, "running"},
                                     {TrialStatus::waiting, "waiting"},
                                     {TrialStatus::paused, "paused"},
                                     {TrialStatus::held, "held"},
                                     {TrialStatus::stopped, "stopped"},
                                     {TrialStatus::finished, "finished"},
                                     {TrialStatus::failed, "failed"}}};
    return statuses.of(status);
}

TrialStatus status_after(StopReason reason) {
    switch (reason) {
        case StopReason::judged:
        case StopReason::requested:
        case StopReason::swept:
        case StopReason::timed_out:
        case StopReason::no_progress:
            return TrialStatus::stopped;
        case StopReason::completed:
        case StopReason::reached:
            return TrialStatus::finished;
        case StopReason::failed:
            return TrialStatus::failed;
    }
    expectation_failed("a StopReason", __FILE__, __LINE__);
}

bool Trial::ended() const {
    return status == TrialStatus::stopped || status == TrialStatus::finished || status == TrialStatus::failed;
}

bool Trial::may_be_best() const { return status != TrialStatus::failed && loss.value_or(worst_loss) < worst_loss; }

void Trial::transition(TrialStatus next) {
    using enum TrialStatus;
    CRESCENDO_EXPECT(!ended() && next != status);
    CRESCENDO_EXPECT(next != paused || status == running);
    CRESCENDO_EXPECT(!(next == waiting && status == paused) && !(next == running && status == held));
    status = next;
    is_reforming = false;
    is_held = is_held && !ended();
}

bool Trial::count_failure(FailureKind kind, int max_retries) {
    if (is_reforming) {
        return true;
    }
    ++failures;
    ++failures_in_a_row;
    if (kind == FailureKind::out_of_memory) {
        constexpr int most = 1 << 20;  // no worker takes a million samples at a time
        group.batch.accumulation = std::min(2 * group.batch.accumulation, most);
    }
    return kind != FailureKind::repeated_error && failures_in_a_row <= max_retries;
}

void Trial::retry() {
    CRESCENDO_EXPECT(status == TrialStatus::failed);
    status = TrialStatus::waiting;
    reason.reset();
    failures_in_a_row = 0;
}

}  // namespace crescendo
