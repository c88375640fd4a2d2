#include "launch/agent/program_worker.hpp"

#include <utility>

#include "core/check.hpp"

namespace crescendo::launch {

ProgramWorker::~ProgramWorker() {
    terminate();
    if (run_) {
        run_->await_end();
    }
}

void ProgramWorker::terminate() {
    if (run_) {
        run_->terminate();
    }
}

std::optional<TrialId> ProgramWorker::trial() const {
    if (next_) {
        return next_->join().trial;
    }
    return run_ && !run_->is_leaving() ? std::optional(run_->trial()) : early_;
}

void ProgramWorker::join(const JoinGroup& order, int rank) {
    CRESCENDO_EXPECT(!order.command.empty());
    trained_.reset();
    early_.reset();
    next_ = ProgramWork{order, rank};
    if (!run_) {
        start_next();
    }
}

void ProgramWorker::start_next() {
    began_to_wait_ = Clock::now();
    start_when_free();
}

/// Waits until no process of the trial is left from a session that died, whose guard gives it some time to leave. Two
/// such processes would overwrite each other's files.
void ProgramWorker::start_when_free() {
    constexpr std::chrono::milliseconds between_looks{100};
    const auto now = Clock::now();
    const auto longest = options_.grace + std::chrono::seconds(10);
    const bool is_free = next_->rank > 0 || !is_held(next_->log()) || now >= began_to_wait_ + longest;
    if (is_free) {
        look_again_.reset();
        start();
    } else {
        look_again_ = now + between_looks;
    }
}

void ProgramWorker::start() {
    const auto work = *std::exchange(next_, std::nullopt);
    try {
        run_ = std::make_unique<ProgramRun>(work, slot(), options_, oom_kills(), notices());
    } catch (const CommandTooLong& error) {  // the next trial's command may be shorter
        tell(WorkerFailed{work.join().trial, slot(), FailureKind::repeated_error, error.what(), ProgramFault::none,
                          device_name(options_, slot())});
    }
}

void ProgramWorker::go_on(const protocol::Decision& order) {
    if (run_) {
        run_->go_on(order);
    }
}

void ProgramWorker::leave(const LeaveTrial& order) {
    const auto trial = order.trial;
    const auto has_left = [&] { tell(LeftTrial{trial, slot()}); };
    if (next_ && next_->join().trial == trial) {
        next_.reset();
        has_left();
    } else if (!next_ && run_ && !run_->is_leaving() && run_->trial() == trial) {
        run_->leave(order);
    } else if (early_ == trial || trained_ == trial) {  // the order crossed our notice of the end, or follows it
        early_.reset();
        trained_.reset();
        has_left();
    }
}

void ProgramWorker::look() {
    if (run_) {
        if (const auto end = run_->advance()) {
            conclude(*end);
        }
    } else if (next_ && look_again_ && Clock::now() >= *look_again_) {
        start_when_free();
    }
}

void ProgramWorker::conclude(ProgramRun::End end) {
    if (end == ProgramRun::End::trained) {
        trained_ = run_->trial();
    } else if (end == ProgramRun::End::early) {
        early_ = run_->trial();
    }
    run_.reset();
    if (next_) {
        start_next();
    }
}

std::optional<Clock::time_point> ProgramWorker::deadline() const {
    return earliest({run_ ? run_->deadline() : std::nullopt, next_ ? look_again_ : std::nullopt});
}

void ProgramWorker::excuse(Clock::duration time) {
    began_to_wait_ += time;
    if (run_) {
        run_->excuse(time);
    }
}

void ProgramWorker::watch(std::vector<pollfd>& descriptors) const {
    if (run_) {
        run_->watch(descriptors);
    }
}

}  // namespace crescendo::launch
