#pragma once

#include "launch/agent/worker.hpp"

namespace crescendo::launch {

/// A crescendo-trainer that lives on from trial to trial. Replaced only when it dies.
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
    void terminate() override {}  // it has started nothing that would outlive it
    void advance(std::vector<Notice>& notices) override;
    void watch(std::vector<pollfd>& descriptors) const override;
    std::optional<Clock::time_point> deadline() const override;

  private:
    enum class State {
        starting,  ///< has not said hello
        idle,
        busy,     ///< works for `trial_`
        leaving,  ///< was told to let go of `trial_` and has not said that it did
        failed,   ///< said that it gave up, and is about to end
        down,     ///< there is none: too many in a row ended before they said hello
    };

    /// An order for an idle trainer, kept until it is one.
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
    std::unique_ptr<ConnectedProcess> trainer_;  ///< none while down
    State state_ = State::starting;
    TrialId trial_{};        ///< while busy or leaving
    std::string directory_;  ///< of that trial
    bool evaluating_ = false;
    int deaths_before_hello_ = 0;
    int num_rests_ = 0;               ///< since the last hello; while there are any, the slot is out of use
    Clock::time_point next_attempt_;  ///< while down
    std::optional<Assignment> next_;
    std::optional<Clock::time_point> deadline_;
    Clock::time_point heard_;             ///< the trainer's last message, or its start
    bool hung_ = false;                   ///< it was killed since it said nothing for too long
    std::optional<std::string> problem_;  ///< what it said of its end while it was leaving
    std::vector<Notice> owed_;
};

}  // namespace crescendo::launch
