#pragma once

#include <variant>

#include "launch/agent/worker.hpp"
#include "launch/agent/worker_options.hpp"
#include "launch/messages/connected_process.hpp"

namespace crescendo::launch {

/// A warm trainer: crescendo-trainer, or a user's program. It serves trial after trial, and is replaced only when it
/// dies.
class WarmWorker final : public Worker {
  public:
    /// Starts the trainer, so that it is warm when the first trial comes.
    WarmWorker(SlotId slot, const WorkerOptions& options, OomKills& oom_kills);
    ~WarmWorker() override;

    std::optional<TrialId> trial() const override;
    void join(const JoinGroup& order, int rank) override;
    void go_on(const protocol::Decision& order) override;
    void leave(const LeaveTrial& order) override;
    void evaluate(const EvaluateTrial& order) override;
    void answer_store(const Json& answer) override;
    void terminate() override;
    void excuse(Clock::duration time) override;
    void watch(std::vector<pollfd>& descriptors) const override;
    std::optional<Clock::time_point> deadline() const override;

  private:
    void look() override;

    /// The trial that a trainer works on.
    struct Task {
        TrialId trial;
        std::string directory;  ///< folder of the trial
        int rank = 0;           ///< this worker's rank in the trial's group
        bool is_evaluation = false;
    };

    /// An order for an idle trainer, kept until the trainer is idle.
    struct Assignment {
        Task task;
        Json message;
    };

    // State of the trainer, as far as its messages show.
    struct Starting {};  ///< the trainer has not said hello yet
    struct Idle {};
    struct Busy {
        Task task;
    };
    /// The trainer was told to leave its task, and has not confirmed it yet.
    struct Leaving {
        Task task;
        std::optional<std::string> problem = {};  ///< the trainer's reason for ending without having left
    };
    /// The trainer gave up or broke the protocol, and is about to end.
    struct Failed {
        std::optional<std::string> end = {};  ///< as from end_without_task(), if it had no task
    };
    /// There is no trainer: too many in a row ended before they had a task, or the last one cannot be killed.
    struct Down {
        Clock::time_point next_attempt;
    };
    using State = std::variant<Starting, Idle, Busy, Leaving, Failed, Down>;

    template <class Kind>
    bool is() const {
        return std::holds_alternative<Kind>(state_);
    }
    const Task* task() const;

    void spawn();
    void kill();
    bool is_guarded() const { return !options_.setup.trainer.empty(); }
    std::chrono::milliseconds longest_silence() const;
    std::optional<Clock::time_point> silent_until() const;
    void assign(const Task& task, const Json& message);
    void begin();
    void receive(const Json& message);
    void remark_on_unknown(const std::string& type);
    void receive_store_request(const Json& request);
    void reject(const std::string& message);
    void receive_failure(const protocol::Failed& failure);
    void settle();
    void conclude(const ExitStatus& status);
    void give_up();
    void try_again();
    std::string cause_of(const ExitStatus& status) const;
    std::string end_without_task(const std::string& cause) const;
    std::string why_none(const std::string& end) const;
    void rest(const std::string& reason);
    void report_failure(const Task& task, FailureKind kind, const std::string& message);

    const WorkerOptions& options_;
    std::unique_ptr<ConnectedProcess> trainer_;  ///< the trainer; while down, null or one that does not end
    State state_;
    std::optional<Assignment> next_;
    Clock::time_point heard_;     ///< time of the trainer's last message, or of its start
    bool hung_ = false;           ///< the trainer was killed because it was silent for too long
    std::optional<Clock::time_point> end_by_;   ///< when to kill one that is leaving or has failed; none once killed
    std::optional<Clock::time_point> dead_by_;  ///< when a killed trainer must have ended
    bool is_told_of_unknown_ = false;
    int idle_deaths_ = 0;         ///< trainers in a row that ended before they had a task
    int num_rests_ = 0;           ///< rests since the last trainer that had a task
    bool is_out_of_use_ = false;  ///< set from a rest until the next hello
};

}  // namespace crescendo::launch
