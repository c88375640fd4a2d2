#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>

#include "launch/coordinator/decisions.hpp"
#include "launch/coordinator/failures.hpp"
#include "launch/coordinator/orders.hpp"
#include "launch/coordinator/overwritten_files.hpp"
#include "launch/coordinator/report_watch.hpp"
#include "launch/coordinator/session_end.hpp"
#include "launch/coordinator/usable_slots.hpp"
#include "launch/messages/messages.hpp"
#include "launch/steering/request_folder.hpp"
#include "launch/view/live_view.hpp"

namespace crescendo::launch {

/// The phase of a session in which trials train.
///
/// Each notice from an agent becomes a record in the journal, or is handled here.
class Training {
  public:
    /// All arguments must outlive the phase.
    Training(const SweepFile& file, const SweepDirectory& directory, Decisions& decisions, Orders& orders,
             LiveView& view, SessionEnd& end);

    /// Whether there is another turn: false once the sweep or the session has to end.
    bool begin_turn();
    std::chrono::milliseconds period() const {
        return std::min({view_.period(), between_looks, decisions_.patience().value_or(between_looks)});
    }
    /// Lets the scheduler decide about the notices of this turn.
    void end_turn();

    void take(protocol::Report& notice);
    void take(const ProgramEnded& notice);
    void take(const ProgramRemark& notice);
    void take(const WorkerFailed& notice);
    void take(const StoreRequest& notice) { orders_.answer(notice); }
    void take(const protocol::Regrouped& notice);
    void take(const protocol::Timed& notice);
    void take(const LeftTrial& notice);
    void take(const TrialEvaluated&) {}  // nothing is evaluated while trials train
    void take(const AgentLost& notice) { usable_slots_.lose(notice); }
    void take(const WorkerStranded& notice);
    [[noreturn]] void take(const CheckpointFailed& notice);
    void take(const SlotDown& notice) { usable_slots_.lose(notice); }
    void take(const SlotUp& notice) { usable_slots_.regain(notice); }
    void take(const EnergyUsed& notice) { decisions_.record(notice); }

  private:
    const Sweep& sweep() const { return decisions_.sweep(); }
    bool is_stopped();
    void look_ahead();
    void end_trials_out_of_time(double now);
    void say_if_all_are_held();
    void obey_requests();
    Answer answer_to(const RequestInbox::Arrived& arrived);
    void fail(const TrialFailed& failure, const std::string& message, ProgramFault fault = ProgramFault::none);
    void fail_by_report(TrialId trial, const std::string& message);
    void choose_metric(const protocol::Metrics& reported);
    void note_restart(TrialId trial, bool is_repeated);
    void record_report(protocol::Report& notice, double loss);
    void look_at_files(TrialId ended);
    void record_regroup(const protocol::Regrouped& notice);

    const SweepFile& file_;
    const SweepDirectory& directory_;
    Decisions& decisions_;
    Orders& orders_;
    Groups& groups_;  ///< the groups of `orders_`
    LiveView& view_;
    SessionEnd& end_;
    std::optional<double> time_budget_;  ///< in seconds; may change while the sweep runs
    bool all_are_held_ = false;  ///< whether the user was told that nothing happens until a trial is released
    RequestInbox inbox_;
    UsableSlots usable_slots_;
    ReportWatch report_watch_;
    std::optional<OverwrittenFiles> overwritten_files_;  ///< none if no programs run
    ToldFailures told_failures_;
    std::set<std::string> remarks_;  ///< remarks that the user has seen; each is shown only once
};

}  // namespace crescendo::launch
