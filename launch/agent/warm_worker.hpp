#pragma once

#include "launch/agent/worker.hpp"

namespace crescendo::launch {

/// A crescendo-trainer that stays alive from trial to trial. It is replaced only when it dies.
class WarmWorker final : public Worker {
  public:
    /// Starts the trainer, so that it is warm when the first trial comes.
    WarmWorker(SlotId slot, const WorkerOptions& options, OomKills& oom_kills);

    std::optional<TrialId> trial() const override;
    void join(const JoinGroup& order, int rank) override;
    void go_on(const GoOn& order) override;
    void leave(bool save) override;
    void evaluate(const EvaluateTrial& order) override;
    void answer_store(const Json& answer) override;
    void terminate() override {}  // a trainer has started nothing that would outlive it
    void advance(std::vector<Notice>& notices) override;
    void watch(std::vector<pollfd>& descriptors) const override;
    std::optional<Clock::time_point> deadline() const override;

  private:
    enum class State {
        starting,  ///< the trainer has not said hello
        idle,
        busy,     ///< the trainer works for `trial_`
        leaving,  ///< the trainer was told to leave `trial_` and has not said that it did
        failed,   ///< the trainer said that it gave up, and is about to end
        down,     ///< there is no trainer: too many in a row ended before they said hello
    };

    /// An order for an idle trainer, kept until the trainer is idle.
    struct Assignment {
        TrialId trial;
        std::string directory;
        bool evaluation = false;
        Json message;
    };

    void spawn();
    std::optional<Clock::time_point> silent_until() const;
    void assign(Assignment assignment);
    void begin();
    void receive(const Json& message, std::vector<Notice>& notices);
    void settle(std::vector<Notice>& notices);
    void conclude(const ExitStatus& status, std::vector<Notice>& notices);
    void rest(const ExitStatus& status, std::vector<Notice>& notices);
    void report_failure(FailureKind kind, const std::string& message, std::vector<Notice>& notices);

    const WorkerOptions& options_;
    std::unique_ptr<ConnectedProcess> trainer_;  ///< the trainer; none while down
    State state_ = State::starting;
    TrialId trial_{};        ///< the trainer's trial, while busy or leaving
    std::string directory_;  ///< folder of `trial_`
    bool evaluating_ = false;
    int deaths_before_hello_ = 0;
    int num_rests_ = 0;               ///< rests since the last hello; above 0 the slot is out of use
    Clock::time_point next_attempt_;  ///< when a trainer is started again, while down
    std::optional<Assignment> next_;
    std::optional<Clock::time_point> deadline_;
    Clock::time_point heard_;             ///< time of the trainer's last message, or of its start
    bool hung_ = false;                   ///< the trainer was killed because it was silent for too long
    std::optional<std::string> problem_;  ///< why the trainer ended while it was leaving, as it said
    std::vector<Notice> owed_;
};

}  // namespace crescendo::launch
