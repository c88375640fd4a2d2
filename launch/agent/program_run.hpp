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

/// How the message begins of the failure of a program that ended with status 0 and never reported.
inline constexpr const char* no_report = "it ended without a report";

/// One process of a program, from its start to its end: what it reports, what it is told, and how it is made to leave.
///
/// It runs under a guard that kills what it leaves behind. Rank 0 of a group reports; all ranks get the decisions.
class ProgramRun {
  public:
    enum class End {
        left,     ///< it was told to leave, or has failed
        trained,  ///< rank 0 ended by itself, and well: with it the trial
        early,    ///< another rank ended well, before it was told to leave
    };

    /// Starts the process. Throws CommandTooLong. What happens is added to `notices`. It, `options` and `oom_kills`
    /// must outlive the run.
    ProgramRun(ProgramWork work, SlotId slot, const WorkerOptions& options, OomKills& oom_kills,
               std::vector<Notice>& notices);

    TrialId trial() const { return work_.join().trial; }

    /// Whether it was told to leave, or has failed. Then its messages count no more.
    bool is_leaving() const { return state_ == State::leaves || state_ == State::failed; }

    /// Tells it to train on.
    void go_on(const protocol::Decision& order);

    /// Tells it to leave, with its state saved if `save`. It must not be leaving yet.
    void leave(bool save);

    /// Tells the process to end now.
    void terminate();

    /// Waits until it has, and the guard has killed what it left behind.
    void await_end() const;

    /// Looks at what the process reported and whether it ended, and makes it leave once it has had its time. Returns
    /// how it ended, once it has; the run is over then.
    std::optional<End> advance();

    /// See Worker.
    void excuse(Clock::duration time);

    void watch(std::vector<pollfd>& descriptors) const;
    std::optional<Clock::time_point> deadline() const;

  private:
    enum class State {
        trains,
        hangs,   ///< it is being ended, because it did not report for too long
        leaves,  ///< it was told to
        failed,  ///< it is being ended, because it did something wrong
    };

    bool is_told_decisions() const { return !options_.setup.supervision.report; }
    void expect_report();
    bool is_complete() const;
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
    std::uintmax_t log_begin_ = 0;           ///< size of the log at the start: what is before that is of others
    std::optional<WrittenReports> written_;  ///< where its reports are found, if it does not send them
    std::unique_ptr<ConnectedProcess> program_;
    State state_ = State::trains;
    bool trains_on_ = false;  ///< it has reported beyond the end of its trial
    int num_reports_ = 0;     ///< of this process, and not of an earlier one of the trial
    bool awaits_decision_ = false;  ///< about its last report
    Resource last_resource_ = {};   ///< of its reports
    protocol::Metrics last_metrics_;
    int batch_multiple_;                               ///< as the program knows it
    std::optional<Clock::time_point> report_due_;      ///< none while a decision is due
    std::optional<Clock::time_point> remark_due_;      ///< about a program that has never reported
    std::optional<Clock::time_point> unfinished_due_;  ///< a remark about a report that lacks its line feed
    bool is_told_of_unfinished_ = false;
    std::optional<Clock::time_point> in_doubt_until_;  ///< whether it failed, although it has ended
    int escalation_ = 0;                         ///< how it was told to end: 0 by a message, 1 by SIGTERM, 2 by SIGKILL
    std::optional<Clock::time_point> deadline_;  ///< for its next step
};

}  // namespace crescendo::launch
