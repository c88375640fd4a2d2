#pragma once

#include "launch/agent/program_run.hpp"

namespace crescendo::launch {

/// Runs any program other than crescendo-trainer: one process for each trial, one after the other.
class ProgramWorker final : public Worker {
  public:
    ProgramWorker(SlotId slot, const WorkerOptions& options, OomKills& oom_kills)
        : Worker(slot, oom_kills), options_(options) {}
    ~ProgramWorker() override;

    std::optional<TrialId> trial() const override;
    void join(const JoinGroup& order, int rank) override;
    void go_on(const protocol::Decision& order) override;
    void leave(TrialId trial, bool save) override;
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
    std::unique_ptr<ProgramRun> run_;              ///< the process that is there
    std::optional<ProgramWork> next_;              ///< waits for it to end, or for one of a former session
    Clock::time_point began_to_wait_;              ///< when `next_` began to wait for that one
    std::optional<Clock::time_point> look_again_;  ///< when to look whether it has ended
    std::optional<TrialId> trained_;               ///< whose process ended by itself, before an order to leave came
    std::optional<TrialId> early_;                 ///< whose process ended before its group
};

}  // namespace crescendo::launch
