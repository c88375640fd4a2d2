#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "trainer/checkpoint/checkpoint_writer.hpp"
#include "trainer/data/data_cache.hpp"
#include "trainer/device/device.hpp"
#include "trainer/protocol/control_channel.hpp"
#include "trainer/protocol/orders.hpp"
#include "trainer/protocol/pulse.hpp"
#include "trainer/protocol/trial_log.hpp"
#include "trainer/settings/catalogue.hpp"
#include "trainer/training/generation.hpp"

namespace crescendo::trainer {

/// Runs a warm trainer: executes one order after the other, and trains a step whenever no order is waiting.
class Session {
  public:
    struct Options {
        /// Time-out of a rendezvous and of each collective.
        std::chrono::milliseconds group_timeout{60'000};
        Catalogue catalogue;  ///< models, optimizers and losses that settings may name
        StepObserver observer;
        std::filesystem::path shared_memory = {};  ///< see DataCache
    };

    /// `channel` and `device` must outlive the session.
    Session(ControlChannel& channel, const Device& device, Options options);

    /// Sends `hello` and serves until the channel closes. Returns the exit status: 0 if the channel closed, or 1 after
    /// an error, which it reports by `failed`.
    int run();

  private:
    void serve();
    bool training() const;
    void advance();
    void note_step();
    void announce_regroup();
    void tell_first_steps();
    void report();
    void send_report();
    bool has_sent_report() const;

    void obey(const Join& join);
    void obey(const Decision& decision);
    void obey(const Leave& leave);
    void obey(const Evaluate& evaluate);
    void obey(const MeasureLatency& measure);
    void obey(const Profile& order);

    void prepare_state(const Join& join, const Settings& settings);
    bool read_saved(const std::filesystem::path& checkpoint, const Join& join, const Settings& settings);
    void settle_report(const Join& join);
    Group meet(const Join& join);
    const std::string& location_of(const Evaluate& evaluate, const Settings& settings) const;
    std::unique_ptr<Trial> read_trial(const Evaluate& evaluate, const Settings& settings) const;
    bool survives(const Join& join) const;
    void begin_regroup(const Join& join);
    void end_phase(const char* phase);
    void lose_group(const PeerLost& cause);

    ControlChannel& channel_;
    const Device& device_;
    const Options options_;
    Pulse pulse_;
    DataCache data_;
    std::optional<TrialLog> log_;
    std::optional<Join> join_;                           ///< the last join, updated by later decisions; none while idle
    std::chrono::steady_clock::time_point joined_at_;    ///< when the last join was read
    std::chrono::steady_clock::time_point phase_began_;  ///< start of the phase that `regrouped_` records next
    protocol::Regrouped regrouped_;                      ///< phases of the last join, so far
    nlohmann::json settings_;                            ///< settings of the last join, as saved in checkpoints
    std::unique_ptr<Trial> trial_;                       ///< the trial in memory; it outlives generations
    std::optional<CheckpointWriter> checkpoints_;
    std::unique_ptr<Generation> generation_;  ///< the present generation; none while there is no working group
    std::optional<TrialId> concerned_trial_;  ///< trial of the last order; none before the first
    std::optional<std::int64_t> sent_;        ///< resource of the last report that this member sent
    bool first_steps_told_ = false;           ///< whether the times of the trial's first steps were sent
    std::chrono::steady_clock::time_point report_sent_at_;
    int num_steps_ = 0;  ///< steps of this generation
    bool regroup_announced_ = false;
};

}  // namespace crescendo::trainer
