#include "launch/agent/program_worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "core/trial_protocol.hpp"

namespace crescendo::launch {
namespace {

/// The environment that docs/trial-protocol.md promises to any program.
std::vector<std::pair<std::string, std::string>> environment_of(const protocol::Join& work,
                                                                const WorkerOptions& options, SlotId slot) {
    auto result = device_environment(options, slot);
    result.insert(result.end(), {{protocol::trial_variable, std::to_string(work.trial.value)},
                                 {protocol::seed_variable, std::to_string(work.seed)},
                                 {protocol::directory_variable, work.directory},
                                 {protocol::max_resource_variable, std::to_string(work.max_resource.value)},
                                 {"RANK", "0"},
                                 {"LOCAL_RANK", "0"},
                                 {"WORLD_SIZE", "1"},
                                 {"LOCAL_WORLD_SIZE", "1"},
                                 {"MASTER_ADDR", "127.0.0.1"},
                                 {"MASTER_PORT", "0"}});
    return result;
}

/// Whether the trial reported in an earlier run.
bool had_reported(const JoinGroup& work) { return work.join.reported && work.join.reported->value > 0; }

/// What shells, argparse and getopt users end with where they do not understand their arguments. A program that has
/// worked for longer means something else by it; one that imports much may need a while to look at them.
constexpr int usage_error_status = 2;
constexpr std::chrono::seconds time_to_complain{30};

std::string log_of(const JoinGroup& work) { return work.join.directory + "/trainer.log"; }

}  // namespace

ProgramWorker::~ProgramWorker() {
    terminate();
    if (program_) {
        // A guard that is killed at once can kill nothing: what the program started would live on.
        program_->await_end(options_.grace + time_of_the_guard);
    }
}

void ProgramWorker::terminate() {
    if (program_) {
        program_->process.signal(SIGTERM);  // the guard passes it on, and kills what stays
    }
}

std::optional<TrialId> ProgramWorker::trial() const {
    if (next_) {
        return next_->join.trial;
    }
    return work_ && !dismissed_ ? std::optional(work_->join.trial) : std::nullopt;
}

void ProgramWorker::join(const JoinGroup& order, int) {
    CRESCENDO_EXPECT(order.join.size == 1 && !order.command.empty());
    next_ = order;
    if (!program_) {
        start();
    }
}

void ProgramWorker::start() {
    work_ = std::exchange(next_, std::nullopt);
    started_ = Clock::now();
    dismissed_ = reported_ = hung_ = false;
    escalation_ = 0;
    deadline_.reset();
    ProcessOptions process;
    process.command = guarded(work_->command, options_, options_.grace);
    process.cpus = resources_of(options_, slot()).cpus;
    process.environment = environment_of(work_->join, options_, slot());
    process.directory = options_.setup.directory;
    process.log = log_of(*work_);
    process.death_signal = SIGTERM;  // the guard has work to do before it dies
    program_ = std::make_unique<ConnectedProcess>(process);
    expect_report();
}

void ProgramWorker::expect_report() {
    if (options_.setup.hang_timeout) {
        report_due_ = Clock::now() + *options_.setup.hang_timeout;
    }
}

void ProgramWorker::go_on(const protocol::Decision&) {
    if (program_) {
        program_->channel.send({{"decision", protocol::decision::proceed}});
        expect_report();
    }
}

void ProgramWorker::leave(bool) {
    if (next_) {
        pending_notices_.push_back(LeftTrial{next_->join.trial, slot()});
        next_.reset();
    } else if (program_ && !dismissed_) {
        program_->channel.send({{"decision", protocol::decision::stop}});
        dismissed_ = true;
        deadline_ = Clock::now() + options_.grace;
    }
}

void ProgramWorker::evaluate(const EvaluateTrial& order) {
    pending_notices_.push_back(
        TrialEvaluated{order.evaluate.trial, {}, "only crescendo-trainer evaluates checkpoints"});
}

void ProgramWorker::answer_store(const Json&) { CRESCENDO_EXPECT(!"a program asked the store"); }

void ProgramWorker::advance(std::vector<Notice>& notices) {
    notices.insert(notices.end(), pending_notices_.begin(), pending_notices_.end());
    pending_notices_.clear();
    if (!program_) {
        return;
    }
    // In this order: what a program wrote before it ended still counts.
    const auto status = program_->process.try_wait();
    receive(notices);
    program_->channel.flush();
    if (status) {
        conclude(*status, notices);
    } else if (const auto now = Clock::now(); deadline_ && now >= *deadline_) {
        escalate(now);
    } else if (report_due_ && now >= *report_due_ && !dismissed_) {
        hung_ = true;
        report_due_.reset();
        escalate(now);
    }
}

void ProgramWorker::receive(std::vector<Notice>& notices) {
    for (const auto& line : program_->channel.receive()) {
        if (dismissed_ || hung_) {
            continue;
        }
        try {
            const auto message = parse_line(line);
            if (message.value("type", "") == protocol::Hello::name) {
                throw std::runtime_error("this is a warm trainer; add `grow: in_place` to the sweep file");
            }
            notices.push_back(report_from(work_->join.trial, message));
            reported_ = true;
            report_due_.reset();
        } catch (const std::exception& error) {
            fail(fmt::format("its report cannot be understood: {} (in '{}')", error.what(), line.substr(0, 200)),
                 FailureKind::error, notices);
        }
    }
}

void ProgramWorker::fail(const std::string& message, FailureKind kind, std::vector<Notice>& notices,
                         ProgramFault fault) {
    notices.push_back(WorkerFailed{work_->join.trial, slot(), kind, message, fault});
    dismissed_ = true;
    deadline_ = Clock::now();
}

void ProgramWorker::escalate(Clock::time_point now) {
    if (escalation_++ == 0) {
        terminate();
        deadline_ = now + options_.grace + time_of_the_guard;
    } else {
        program_->process.signal_group(SIGKILL);
        deadline_.reset();
    }
}

void ProgramWorker::conclude(const ExitStatus& status, std::vector<Notice>& notices) {
    if (dismissed_) {
        notices.push_back(LeftTrial{work_->join.trial, slot()});
    } else if (hung_ || !status.success()) {
        const auto cause = hung_ ? no_progress_for(*options_.setup.hang_timeout) : to_string(status);
        const bool is_usage_error = !hung_ && !reported_ && !had_reported(*work_) && status.signal == 0 &&
                                    status.code == usage_error_status && Clock::now() - started_ < time_to_complain;
        const auto kind = is_usage_error ? FailureKind::repeated_error : hung_ ? FailureKind::crash : kind_of(status);
        fail(fmt::format("{}; last words: {}", cause, last_words(log_of(*work_))), kind, notices,
             is_usage_error ? ProgramFault::usage_error : ProgramFault::none);
    } else if (!reported_ && had_reported(*work_)) {
        fail("it was resumed and ended without a report; a program that is resumed sends its last report again",
             FailureKind::error, notices);
    } else if (!reported_) {
        fail(no_report, FailureKind::repeated_error, notices, ProgramFault::never_reports);
    } else {
        notices.push_back(ProgramEnded{work_->join.trial});
    }
    program_.reset();
    work_.reset();
    deadline_.reset();
    report_due_.reset();
    if (next_) {
        start();
    }
}

std::optional<Clock::time_point> ProgramWorker::deadline() const {
    return report_due_ && !dismissed_ ? std::min(*report_due_, deadline_.value_or(*report_due_)) : deadline_;
}

void ProgramWorker::watch(std::vector<pollfd>& descriptors) const {
    if (program_) {
        program_->watch(descriptors);
    }
}

}  // namespace crescendo::launch
