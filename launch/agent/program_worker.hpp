#pragma once

#include "launch/agent/program_run.hpp"

namespace crescendo::launch {

/// Runs any program other than crescendo-trainer: one process per trial, one at a time.
class ProgramWorker final : public Worker {
  public:
    ProgramWorker(SlotId slot, const WorkerOptions& options, OomKills& oom_kills)
        : Worker(slot, oom_kills), options_(options) {}
    ~ProgramWorker() override;

    std::optional<TrialId> trial() const override;
    void join(const JoinGroup& order, int rank) override;
    void go_on(const protocol::Decision& order) override;
    void leave(const LeaveTrial& order) override;
    void terminate() override;
    void excuse(Clock::duration time) override;
    void watch(std::vector<pollfd>& descriptors) const override;
    std::optional<Clock::time_point> deadline() const override;

  private:
    void look() override;
    void start_next();
    void start_when_free();
    void start();
    void conclude(ProgramRun::End end);

    const WorkerOptions& options_;
    std::unique_ptr<ProgramRun> run_;              ///< the present process
    std::optional<ProgramWork> next_;              ///< waits for the end of `run_` or of a former session's process
    Clock::time_point began_to_wait_;              ///< when `next_` began to wait for a process of a former session
    std::optional<Clock::time_point> look_again_;  ///< when to check again whether that process has ended
    std::optional<TrialId> trained_;               ///< trial whose process ended before an order to leave came
    std::optional<TrialId> early_;                 ///< trial whose process ended before the rest of its group
};

}  // namespace crescendo::launch
