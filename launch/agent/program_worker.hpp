#pragma once

#include "launch/agent/worker.hpp"

namespace crescendo::launch {

/// How the message of a program's failure begins that ended well and has never reported.
inline constexpr const char* no_report = "it ended without a report";

/// Runs any other program: one process for each trial, under a guard that lets nothing it started survive.
class ProgramWorker final : public Worker {
  public:
    ProgramWorker(SlotId slot, const WorkerOptions& options, OomKills& oom_kills)
        : Worker(slot, oom_kills), options_(options) {}
    ~ProgramWorker() override;

    std::optional<TrialId> trial() const override;
    void join(const JoinGroup& order, int rank) override;
    void go_on(const GoOn& order) override;
    void leave(bool save) override;
    void evaluate(const EvaluateTrial& order) override;
    void answer_store(const Json& answer) override;
    void terminate() override;
    void advance(std::vector<Notice>& notices) override;
    void watch(std::vector<pollfd>& descriptors) const override;
    std::optional<Clock::time_point> deadline() const override;

  private:
    struct Assignment {
        TrialWork work;
        bool had_reported = false;  ///< the trial, when it ran before
    };

    void start();
    void expect_report();
    void receive(std::vector<Notice>& notices);
    void fail(const std::string& message, FailureKind kind, std::vector<Notice>& notices,
              ProgramFault fault = ProgramFault::none);
    void press(Clock::time_point now);
    void conclude(const ExitStatus& status, std::vector<Notice>& notices);

    const WorkerOptions& options_;
    std::optional<TrialWork> work_;   ///< of the process there is
    std::optional<Assignment> next_;  ///< waits for that process to end
    std::unique_ptr<ConnectedProcess> program_;
    bool dismissed_ = false;  ///< was told to leave, or has failed: what it still says is not heard
    bool reported_ = false;
    bool had_reported_ = false;  ///< the trial, when it ran before
    Clock::time_point started_;
    bool hung_ = false;                            ///< is being ended since it did not report for too long
    std::optional<Clock::time_point> report_due_;  ///< none while it waits for a decision
    int pressure_ = 0;                             ///< how it was told: 0 by a message, 1 by SIGTERM, 2 by SIGKILL
    std::optional<Clock::time_point> deadline_;
    std::vector<Notice> owed_;  ///< of orders that were done with at once
};

}  // namespace crescendo::launch
