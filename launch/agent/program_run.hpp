#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launch/agent/program_work.hpp"
#include "launch/agent/worker.hpp"
#include "launch/agent/written_reports.hpp"
#include "launch/messages/connected_process.hpp"
#include "launch/system/clock.hpp"

namespace crescendo::launch {

/// Beginning of the failure message of a program that ended with status 0 and never reported.
inline constexpr const char* no_report = "it ended without a report";

/// One process of a program, from start to end: reads its reports, sends it decisions, and makes it leave.
///
/// The process runs under a guard that kills what it leaves behind. Rank 0 of a group reports; all ranks get the
/// decisions.
class ProgramRun {
  public:
    enum class End {
        left,     ///< the process was told to leave, or has failed
        trained,  ///< rank 0 ended by itself with success, which finishes the trial
        early,    ///< another rank ended with success before it was told to leave
    };

    /// Starts the process. Adds what happens to `notices`. `notices`, `options` and `oom_kills` must outlive the run.
    /// Throws CommandTooLong.
    ProgramRun(ProgramWork work, SlotId slot, const WorkerOptions& options, OomKills& oom_kills,
               std::vector<Notice>& notices);

    TrialId trial() const { return work_.join().trial; }

    /// Whether the process was told to leave, or has failed. From then on its messages are ignored.
    bool is_leaving() const { return state_ == State::leaves || state_ == State::failed; }

    /// Tells the process to continue training.
    void go_on(const protocol::Decision& order);

    /// Tells the process to leave. It must not be leaving yet.
    void leave(const LeaveTrial& order);

    /// Tells the process to end now.
    void terminate();

    /// Waits until the process has ended and the guard has killed what it left behind.
    void await_end() const;

    /// Reads the process's reports, checks whether it has ended, and forces it to leave when its time is up. Returns
    /// how the process ended, once it has; the run is over then. Throws std::system_error if the guard could not start
    /// the process: that is no failure of the trial.
    std::optional<End> advance();

    /// See Worker.
    void excuse(Clock::duration time);

    void watch(std::vector<pollfd>& descriptors) const;
    std::optional<Clock::time_point> deadline() const;

  private:
    enum class State {
        trains,
        hangs,   ///< the process is being ended, because it did not report for too long
        leaves,  ///< the process was told to leave
        failed,  ///< the process is being ended, because it did something wrong
    };

    bool is_told_decisions() const { return !options_.setup.supervision.report; }
    void expect_report();
    std::chrono::milliseconds time_to_leave(bool save) const;
    std::chrono::milliseconds time_to_save() const;
    void receive();
    void remark(std::string message) const { notices_.push_back(ProgramRemark{trial(), std::move(message)}); }
    void remark_on_unfinished();
    void look_for_reports(const std::optional<ExitStatus>& end);
    void read_written(const WrittenLine& line);
    void remark_on_late_reports() const;
    void take(protocol::Report report);
    void remark_on_repetition(const protocol::Report& report) const;
    void ignore(const WrittenLine& line);
    void remark_on_silence() const;
    std::string own_last_words() const;
    bool is_in_doubt(const ExitStatus& status);
    End conclude(const ExitStatus& status);
    bool has_trial_reported() const;
    bool repeats_file() const;
    void fail_as(const ExitStatus& status);
    void fail_without_report();
    void fail(const std::string& message, FailureKind kind, ProgramFault fault = ProgramFault::none);
    void escalate(Clock::time_point now);

    ProgramWork work_;
    SlotId slot_;
    const WorkerOptions& options_;
    OomKills& oom_kills_;
    std::vector<Notice>& notices_;
    Clock::time_point started_ = Clock::now();
    std::uintmax_t log_begin_ = 0;           ///< log size at the start, in bytes; older output is from others
    std::optional<WrittenReports> written_;  ///< reads the reports of a process that does not send them
    std::unique_ptr<ConnectedProcess> program_;
    State state_ = State::trains;
    bool is_complete_ =
        false;  ///< the process leaves because its trial has come to its end, and may still save its model
    bool trains_on_ = false;  ///< the process has reported beyond the end of its trial
    int num_reports_ = 0;     ///< reports of this process, without those of earlier ones of the trial
    bool awaits_decision_ = false;  ///< about the last report
    Resource last_resource_ = {};   ///< of the last report
    protocol::Metrics last_metrics_;
    int batch_multiple_;                               ///< batch multiple that the program was last told
    std::optional<Clock::time_point> report_due_;      ///< when the next report is due; none while a decision is due
    std::optional<Clock::time_point> remark_due_;      ///< when to remark on a program that has never reported
    std::optional<Clock::time_point> unfinished_due_;  ///< when to remark on a report that lacks its line feed
    bool is_told_of_unfinished_ = false;
    std::optional<Clock::time_point> in_doubt_until_;  ///< it has ended; until then it is open whether it failed
    int escalation_ = 0;                         ///< how it was told to end: 0 by a message, 1 by SIGTERM, 2 by SIGKILL
    std::optional<Clock::time_point> deadline_;  ///< when the next escalation is due
};

}  // namespace crescendo::launch
