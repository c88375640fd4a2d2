#pragma once

#include "launch/agent/worker.hpp"
#include "launch/agent/written_reports.hpp"

namespace crescendo::launch {

/// Message of the failure of a program that ended with status 0 and never reported.
inline constexpr const char* no_report = "it ended without a report";

/// Runs any program other than crescendo-trainer: one process for each trial, under a guard that kills what the program
/// leaves behind.
///
/// A group has one process a slot. Rank 0 reports and says when the trial is over. All ranks get the decisions.
class ProgramWorker final : public Worker {
  public:
    ProgramWorker(SlotId slot, const WorkerOptions& options, OomKills& oom_kills)
        : Worker(slot, oom_kills), options_(options) {}
    ~ProgramWorker() override;

    std::optional<TrialId> trial() const override;
    void join(const JoinGroup& order, int rank) override;
    void go_on(const protocol::Decision& order) override;
    void leave(TrialId trial, bool save) override;
    void evaluate(const EvaluateTrial& order) override;
    void answer_store(const Json& answer) override;
    void terminate() override;
    void advance(std::vector<Notice>& notices) override;
    void watch(std::vector<pollfd>& descriptors) const override;
    std::optional<Clock::time_point> deadline() const override;

  private:
    void start_next();
    void start_when_free();
    void start();
    void expect_report();
    bool is_told_decisions() const { return !options_.setup.supervision.report; }
    void receive(std::vector<Notice>& notices);
    void look_for_reports(bool has_ended, std::vector<Notice>& notices);
    void read_written(const std::string& line, std::vector<Notice>& notices);
    void ignore(const std::string& line);
    bool is_complete() const;
    bool is_in_doubt(const ExitStatus& status);
    std::chrono::milliseconds time_to_save() const;
    void take(protocol::Report report, std::vector<Notice>& notices);
    void remark_on_repetition(const protocol::Report& report, std::vector<Notice>& notices) const;
    std::string own_last_words() const;
    void fail(const std::string& message, FailureKind kind, std::vector<Notice>& notices,
              ProgramFault fault = ProgramFault::none);
    void escalate(Clock::time_point now);
    void conclude(const ExitStatus& status, std::vector<Notice>& notices);
    void forget_work();

    /// A trial, and this worker's rank in its group.
    struct Work {
        JoinGroup order;
        int rank = 0;

        const protocol::Join& join() const { return order.join; }
    };

    std::vector<std::pair<std::string, std::string>> environment() const;
    const MeetingPlace& place_of(SlotId slot) const;
    void write_hosts() const;

    const WorkerOptions& options_;
    std::optional<Work> work_;  ///< what the present process trains, or has trained if it ended before its group
    std::optional<Work> next_;  ///< work that waits for the present process to end, or for one of a former session
    Clock::time_point began_to_wait_;              ///< when `next_` began to wait for that one
    std::optional<Clock::time_point> look_again_;  ///< when to look whether it has ended
    std::optional<TrialId> ended_;  ///< what the process before trained, if it ended by itself
    std::unique_ptr<ConnectedProcess> program_;
    bool dismissed_ = false;  ///< the program was told to leave, or has failed: its messages are ignored
    bool has_failed_ = false;  ///< it is being ended, because it did something wrong
    bool trains_on_ = false;   ///< it has reported beyond the end of its trial
    bool reported_ = false;
    bool awaits_decision_ = false;  ///< about its last report
    Resource last_resource_ = {};  ///< of its reports
    protocol::Metrics last_metrics_;
    int batch_multiple_ = 1;       ///< as the program knows it
    Clock::time_point started_;
    bool hung_ = false;  ///< the program is being ended, because it did not report for too long
    std::optional<Clock::time_point> report_due_;  ///< none while a decision is due
    std::optional<Clock::time_point> remark_due_;  ///< about a program that has never reported
    std::uintmax_t log_begin_ = 0;  ///< size of the log when the program started: what is before that is of others
    std::optional<Clock::time_point> in_doubt_until_;  ///< whether it failed, although it has ended
    int escalation_ = 0;  ///< how the program was told to end: 0 by a message, 1 by SIGTERM, 2 by SIGKILL
    std::optional<Clock::time_point> deadline_;
    std::optional<WrittenReports> written_;  ///< where its reports are found, if it does not send them
    std::vector<Notice> pending_notices_;  ///< of orders that were carried out at once
};

}  // namespace crescendo::launch
