#include "launch/agent/program_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/check.hpp"
#include "launch/agent/argument_advice.hpp"
#include "launch/agent/worker_failure.hpp"
#include "launch/batch/batch_system.hpp"
#include "launch/files/last_words.hpp"
#include "launch/messages/trial_report.hpp"
#include "launch/process/guard.hpp"

namespace crescendo::launch {
namespace {

/// Exit status of shells, argparse and getopt users that do not understand their arguments. A program that has run for
/// longer means something else by it; a program with many imports may take a while to read its arguments.
constexpr int usage_error_status = 2;
constexpr std::chrono::seconds time_to_complain{30};
constexpr std::chrono::milliseconds time_to_finish_line{5000};
constexpr std::chrono::milliseconds long_without_report{30'000};  // long enough for an epoch to be worth a decision

ProcessOptions process_of(const ProgramWork& work, SlotId slot, const WorkerOptions& options) {
    ProcessOptions process;
    process.command = guarded(options.guard, options.grace, work.order.command);
    process.cpus = resources_of(options, slot).cpus;
    process.environment = environment_of(work, slot, options);
    process.hides = variables_of_ranks();
    const auto& source = options.setup.supervision.report;
    if (source && source->is_printed() && work.rank == 0) {
        // Unbuffered output, so that reports arrive in time.
        process.environment.emplace_back("PYTHONUNBUFFERED", "1");
        process.environment.emplace_back("GFORTRAN_UNBUFFERED_PRECONNECTED", "1");
    } else {
        unbuffer_python(process.environment);
    }
    process.directory = options.setup.directory;
    process.log = work.log();
    process.holds_log = work.rank == 0;
    process.death_signal = SIGTERM;  // the guard must kill the program before it dies
    return process;
}

}  // namespace

ProgramRun::ProgramRun(ProgramWork work, SlotId slot, const WorkerOptions& options, OomKills& oom_kills,
                       std::vector<Notice>& notices)
    : work_(std::move(work)),
      slot_(slot),
      options_(options),
      oom_kills_(oom_kills),
      notices_(notices),
      batch_multiple_(work_.join().batch.multiple) {
    if (work_.rank == 0) {
        end_last_line(work_.log());
        if (!work_.has_reported()) {
            remark_due_ = started_ + options_.patience;
        }
        const auto& supervision = options_.setup.supervision;
        if (supervision.report) {
            written_.emplace(*supervision.report, supervision.metric, trial(), work_.join().directory);
        }
    }
    log_begin_ = size_of_log(work_.log());
    write_hosts(work_, options_);
    program_ = std::make_unique<ConnectedProcess>(process_of(work_, slot_, options_));
    expect_report();
}

void ProgramRun::go_on(const protocol::Decision& order) {
    if (is_told_decisions()) {
        Json message{{"decision", protocol::decision::proceed}};
        if (const int multiple = order.batch_multiple.value_or(batch_multiple_); multiple != batch_multiple_) {
            message["batch_multiple"] = batch_multiple_ = multiple;
        }
        program_->channel.send(message);
    }
    awaits_decision_ = false;
    expect_report();
}

void ProgramRun::leave(const LeaveTrial& order) {
    CRESCENDO_EXPECT(!is_leaving());
    state_ = State::leaves;
    // Rank 0 knows it even if its last report is still on its way to the coordinator.
    is_complete_ = order.is_complete || (work_.rank == 0 && last_resource_ >= work_.join().max_resource);
    if (escalation_ == 0) {  // else it is being ended already, and its guard has its own deadline
        deadline_ = Clock::now() + time_to_leave(order.save);
    }
    if (is_told_decisions()) {
        Json message{{"decision", protocol::decision::stop}};
        if (order.save) {
            message["save"] = true;
        }
        program_->channel.send(message);
    }
}

/// How long a program has from the order to leave until SIGTERM.
std::chrono::milliseconds ProgramRun::time_to_leave(bool save) const {
    const bool reads_order_now = is_told_decisions() && (awaits_decision_ || work_.rank > 0);
    if (is_complete_ || (save && reads_order_now)) {
        return time_to_save();
    }
    // A rank 0 that gets no decisions does not know about the order, and would leave only at its end.
    return is_told_decisions() || work_.rank > 0 ? options_.grace : std::chrono::milliseconds(0);
}

void ProgramRun::terminate() { program_->process.signal(SIGTERM); }  // the guard passes it on, and kills what stays

void ProgramRun::await_end() const {
    // A guard that was killed at once could kill nothing, and the program's children would survive.
    program_->await_end(options_.grace + time_of_the_guard);
}

std::optional<ProgramRun::End> ProgramRun::advance() {
    // Status before output: what a program wrote before it ended still counts.
    const auto status = program_->process.try_wait();
    receive();
    if (written_) {
        look_for_reports(status);
    }
    program_->channel.flush();
    if (status) {
        const bool has_more_to_say = state_ == State::trains && written_ && written_->has_more();
        return has_more_to_say || is_in_doubt(*status) ? std::nullopt : std::optional(conclude(*status));
    }
    const auto now = Clock::now();
    if (unfinished_due_ && now >= *unfinished_due_ && state_ == State::trains) {
        remark_on_unfinished();
    }
    if (deadline_ && now >= *deadline_) {
        escalate(now);
    } else if (state_ == State::trains && report_due_ && now >= *report_due_) {
        state_ = State::hangs;
        escalate(now);
    } else if (state_ == State::trains && remark_due_ && now >= *remark_due_) {
        remark_due_.reset();
        remark_on_silence();
    }
    return {};
}

std::optional<Clock::time_point> ProgramRun::deadline() const {
    if (state_ != State::trains) {
        return deadline_;
    }
    return earliest({deadline_, report_due_, remark_due_, unfinished_due_, in_doubt_until_,
                     written_ ? written_->next_look() : std::nullopt});
}

void ProgramRun::excuse(Clock::duration time) {
    for (auto* due : {&report_due_, &remark_due_, &unfinished_due_, &in_doubt_until_, &deadline_}) {
        if (*due) {
            **due += time;
        }
    }
}

void ProgramRun::watch(std::vector<pollfd>& descriptors) const {
    if (!in_doubt_until_) {  // the exit descriptor of an ended process is always ready
        program_->watch(descriptors);
    }
}

void ProgramRun::expect_report() {
    if (options_.setup.supervision.hang_timeout && work_.rank == 0) {
        report_due_ = Clock::now() + *options_.setup.supervision.hang_timeout;
    }
}

std::chrono::milliseconds ProgramRun::time_to_save() const {
    return std::max(options_.grace, options_.setup.save_timeout);
}

void ProgramRun::receive() {
    for (const auto& line : program_->channel.receive()) {
        if (line.starts_with(no_process)) {
            throw process_refusal(std::atoi(line.c_str() + no_process.size()));
        }
        if (state_ != State::trains) {
            ignore({line});
            continue;
        }
        try {
            const auto message = parse_message(line);
            const auto type = message.value("type", Json());
            if (type == protocol::type::hello || type == protocol::type::progress) {
                throw std::runtime_error("this is a warm trainer; add `grow: in_place` to the sweep file");
            }
            if (is_told_decisions() && work_.rank == 0) {
                take(report_from(trial(), message));
                ++num_reports_;
            }
        } catch (const std::exception& error) {
            fail("its report through CRESCENDO_FD cannot be understood: " + problem_in(line, error),
                 FailureKind::error);
        }
    }
    if (program_->channel.unfinished().empty()) {
        unfinished_due_.reset();
    } else if (!unfinished_due_ && !is_told_of_unfinished_) {
        unfinished_due_ = Clock::now() + std::min(time_to_finish_line, options_.patience);
    }
}

/// The program waits for a decision, while we wait for the line feed of its report. What it wrote comes last, because
/// remarks that begin alike are shown once.
void ProgramRun::remark_on_unfinished() {
    unfinished_due_.reset();
    is_told_of_unfinished_ = true;
    remark(
        fmt::format("it wrote to CRESCENDO_FD without a line feed; each report is a line, and counts once the line is "
                    "complete: '{}'",
                    program_->channel.unfinished().substr(0, 200)));
}

void ProgramRun::look_for_reports(const std::optional<ExitStatus>& end) {
    const auto now = Clock::now();
    if (state_ == State::trains && written_->loses_lines(now)) {
        notices_.push_back(CheckpointFailed{
            trial(), slot_, "there is no room for its output, which contains its reports: No space left on device"});
    }
    const bool were_none = num_reports_ == 0;
    for (const auto& line : end ? written_->last_lines(now, *end) : written_->lines(now)) {
        if (state_ != State::trains) {
            ignore(line);
        } else {
            read_written(line);
        }
    }
    if (end && were_none && num_reports_ > 1 && now - started_ >= std::min(long_without_report, options_.patience)) {
        remark_on_late_reports();
    }
}

/// Most programs not written in Python buffer about 4 KiB of what they print to a file.
void ProgramRun::remark_on_late_reports() const {
    const bool is_printed = options_.setup.supervision.report->is_printed();
    remark(fmt::format(
        "all of its reports arrived when it ended, so it could not be stopped early; let it flush {} after each "
        "epoch{}",
        is_printed ? "its output" : written_->place(), is_printed ? ", or start the command with stdbuf, -oL" : ""));
}

void ProgramRun::read_written(const WrittenLine& line) {
    try {
        if (auto report = written_->report_in(line)) {
            take(*std::move(report));
            num_reports_ += line.is_earlier ? 0 : 1;
        }
    } catch (const std::exception& error) {
        fail(problem_in(line.text, error, written_->place()), FailureKind::error);
    }
    if (written_->is_time_to_remark()) {
        remark(written_->why_none());
    }
}

void ProgramRun::take(protocol::Report report) {
    remark_on_repetition(report);
    last_resource_ = report.resource;
    last_metrics_ = report.metrics;
    awaits_decision_ = true;
    report_due_.reset();
    remark_due_.reset();
    notices_.push_back(std::move(report));
}

/// Remarks on a process that starts over, and on one that repeats its own reports with other numbers.
void ProgramRun::remark_on_repetition(const protocol::Report& report) const {
    if (written_ && !options_.setup.supervision.report->is_printed()) {
        return;  // the file has earlier processes' lines, and may be rewritten
    }
    const auto& join = work_.join();
    if (num_reports_ == 0 && work_.has_reported() && report.resource < *join.reported) {
        remark(
            fmt::format("it was restarted, and did not continue from a checkpoint; it reported {} after it had "
                        "reported {} before, and repeats that training (docs/trial-protocol.md, Checkpoints)",
                        report.resource.value, join.reported->value));
    } else if (num_reports_ > 0 && report.resource <= last_resource_ && report.metrics != last_metrics_) {
        remark(fmt::format(
            "it reported the same resource again, or an earlier one, and such reports do not count; after {} came {}: "
            "{}",
            last_resource_.value, report.resource.value,
            written_ ? "let report.pattern match one line per epoch" : "report once after each epoch, and count up"));
    }
}

/// Handles output of a program that is being ended. It no longer counts. But a program that reports beyond the end of
/// its trial has not noticed that end, so waiting for it is pointless.
void ProgramRun::ignore(const WrittenLine& line) {
    if (work_.rank > 0 || state_ != State::leaves || escalation_ > 0 || !is_complete_) {
        return;
    }
    try {
        const auto report = written_ ? written_->report_in(line) : report_from(trial(), parse_message(line.text));
        if (report && !line.is_earlier && report->resource > last_resource_) {
            trains_on_ = true;
            deadline_ = Clock::now();
        }
    } catch (const std::exception&) {
        // no report
    }
}

void ProgramRun::remark_on_silence() const {
    remark(fmt::format("it has run for {} s without a report; {}; `hang_timeout` in the sweep file ends such a program",
                       std::chrono::duration_cast<std::chrono::seconds>(options_.patience).count(),
                       written_ ? written_->why_none() : quoted(own_last_words())));
}

/// The last lines that this process printed, without those of the trial's earlier processes.
std::string ProgramRun::own_last_words() const { return last_words(work_.log(), log_begin_); }

/// A batch system ends a job with a signal to all its processes: SIGTERM, or SIGINT if the user asked for it. Then the
/// order to leave is on its way, and the program has not failed.
bool ProgramRun::is_in_doubt(const ExitStatus& status) {
    const bool is_told_to_end = status.code == 128 + SIGTERM || status.code == 128 + SIGINT;
    if (!is_told_to_end || state_ != State::trains) {
        return false;
    }
    const auto now = Clock::now();
    in_doubt_until_ = in_doubt_until_.value_or(now + options_.doubt);
    return now < *in_doubt_until_;
}

ProgramRun::End ProgramRun::conclude(const ExitStatus& status) {
    if (is_leaving()) {
        const bool fails_by_itself = state_ == State::leaves && escalation_ == 0 && !status.success();
        if (fails_by_itself && work_.rank == 0 && is_complete_ && !trains_on_) {
            remark(
                fmt::format("it was complete when its program failed; it counts, but anything due after its last "
                            "report, such as a model, may be missing; {}; {}",
                            to_string(status), quoted(own_last_words())));
        }
        notices_.push_back(LeftTrial{trial(), slot_});
        return End::left;
    }
    if (state_ == State::hangs || !status.success()) {
        fail_as(status);
        return End::left;
    }
    if (work_.rank > 0) {
        return End::early;  // rank 0 decides what becomes of the trial
    }
    if (num_reports_ == 0 && !repeats_file()) {
        fail_without_report();
        return End::left;
    }
    notices_.push_back(ProgramEnded{trial()});
    return End::trained;
}

/// Whether the trial has reported. Includes reports that an earlier process left unread in its file, which this run
/// reads.
bool ProgramRun::has_trial_reported() const { return work_.has_reported() || last_resource_ > Resource{}; }

/// Whether the process rewrote its file with the reports that were there. They look like an earlier process's.
bool ProgramRun::repeats_file() const {
    return written_ && written_->is_written_alike() && last_resource_ > Resource{};
}

/// Fails the trial because its process ended by a signal, with a status other than 0, or after a hang.
void ProgramRun::fail_as(const ExitStatus& status) {
    const bool hung = state_ == State::hangs;
    const auto words = own_last_words();
    const auto with_words = [&](const std::string& cause) { return fmt::format("{}; {}", cause, quoted(words)); };
    const bool is_usage_error = !hung && num_reports_ == 0 && !has_trial_reported() && status.signal == 0 &&
                                status.code == usage_error_status && Clock::now() - started_ < time_to_complain;
    if (hung) {
        fail(with_words(no_progress_for(*options_.setup.supervision.hang_timeout)), FailureKind::crash);
    } else if (is_usage_error) {
        fail(with_words(to_string(status)) + advice_on_arguments(words), FailureKind::repeated_error,
             ProgramFault::usage_error);
    } else {
        fail(with_words(to_string(status)), kind_of(status, oom_kills_));
    }
}

void ProgramRun::fail_without_report() {
    if (has_trial_reported()) {
        const bool is_in_file = written_ && !options_.setup.supervision.report->is_printed();
        fail(fmt::format("it was resumed and ended without a report{}; a resumed program must send its last report "
                         "again{}",
                         is_in_file ? " in " + written_->place() : "",
                         is_in_file ? ", to the same file; give a logger that numbers its folders a fixed one" : ""),
             FailureKind::error);
    } else {
        fail(written_ ? fmt::format("{}: {}", no_report, written_->why_none())
                      : fmt::format("{}; {}", no_report, quoted(own_last_words())),
             FailureKind::repeated_error, ProgramFault::never_reports);
    }
}

void ProgramRun::fail(const std::string& message, FailureKind kind, ProgramFault fault) {
    notices_.push_back(WorkerFailed{trial(), slot_, kind, message, fault, device_name(options_, slot_)});
    state_ = State::failed;
    deadline_ = Clock::now();
}

void ProgramRun::escalate(Clock::time_point now) {
    if (escalation_++ == 0) {
        if (state_ == State::leaves && is_told_decisions()) {
            // A program that trained to its end may have read the order, and still have more to do than its time
            // allows.
            const std::chrono::duration<double> time = time_to_save();
            const auto what =
                is_complete_ && !trains_on_
                    ? fmt::format(
                          "it was complete but did not end within {:.3g} s, so it is ended by SIGTERM; set "
                          "CRESCENDO_SAVE_TIMEOUT to more seconds, or save before the last report; ",
                          time.count())
                    : std::string(
                          "it was asked to stop but did not end, so it is ended by SIGTERM; a program must read the "
                          "decision after each report, and end within five seconds if asked to; ");
            remark(what + quoted(own_last_words()));
        }
        terminate();
        deadline_ = now + options_.grace + time_of_the_guard;
    } else {
        program_->process.signal_group(SIGKILL);
        deadline_.reset();
    }
}

}  // namespace crescendo::launch
