#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "launch/coordinator/failures.hpp"
#include "launch/coordinator/groups.hpp"
#include "launch/coordinator/identical_reports.hpp"
#include "launch/coordinator/rendezvous.hpp"
#include "launch/coordinator/slot_health.hpp"
#include "launch/coordinator/slot_map.hpp"
#include "launch/record/history.hpp"
#include "launch/record/journal.hpp"
#include "launch/record/sweep_directory.hpp"
#include "launch/record/sweep_lock.hpp"
#include "launch/sweep_file/sweep_file.hpp"
#include "launch/system/stop_signals.hpp"
#include "launch/transport/transport.hpp"
#include "launch/view/live_view.hpp"

namespace crescendo::launch {

enum class Outcome {
    finished,     ///< nothing is left to do
    failed,       ///< the sweep has ended, and every trial failed
    interrupted,  ///< the sweep was asked to stop; what ran is saved and can be resumed
    hopeless,     ///< no trial has reported anything, and none would; can be resumed once the cause is fixed
};

/// Runs a sweep: turns what agents report into events, journals them, asks the scheduler, and carries out its actions.
///
/// One turn has four steps: take what arrived, append the events to the journal with one sync for all of them, apply
/// them, perform the actions. The journal never has an action, because replaying the events gives it again.
class Coordinator {
  public:
    /// The caller holds the sweep's lock, and the coordinator keeps its signs of life coming. `history` has taken every
    /// record of `journal`. `opening` has the records that the session begins with, before it has slots: what changed
    /// since the last session.
    Coordinator(const SweepFile& file, const SweepDirectory& directory, Journal& journal, History& history,
                Transport& transport, LiveView& view, SweepLock* lock = nullptr, std::vector<Json> opening = {});

    using Seconds = double;  ///< since the epoch

    /// Runs until the sweep ends, is asked to stop, or `deadline` is reached. Throws DirectoryError when the journal or
    /// other files cannot be written; everything that was answered is then safely in the journal. Throws
    /// std::runtime_error when no slot is left on which a trainer could be started.
    Outcome run(const StopSignals& signals, std::optional<Seconds> deadline = {});

  private:
    /// A line of the journal.
    using Record = std::variant<Json, ReportRecord, ProposalRecord>;

    void begin_session();
    void turn();
    std::vector<Notice> receive(std::chrono::milliseconds timeout);
    void drain();
    void finish();
    void await_departures();
    bool stop_requested(const StopSignals& signals);
    bool is_over(std::optional<Seconds> deadline);
    void look_ahead(Seconds deadline);

    // Each notice becomes a record of the journal, or is handled here.
    void take(TrialMetrics& notice);
    void take(const ProgramEnded& notice);
    void take(const WorkerFailed& notice);
    void take(const StoreRequest& notice);
    void take(const GroupFormed& notice);
    void take(const LeftTrial& notice);
    void take(const TrialEvaluated& notice);
    void take(const AgentLost& notice);
    void take(const WorkerStranded& notice);
    [[noreturn]] void take(const CheckpointFailed& notice);
    void take(const SlotDown& notice);
    void take(const SlotUp& notice);

    void record(const Event& event, const Json& details = Json::object());
    void record_config(TrialId trial);
    void commit();
    void take_effect(const Json& record);
    void take_effect(ReportRecord& record);
    void take_effect(const ProposalRecord& record);

    void perform_all(const std::vector<Action>& actions);
    void prepare_directory(TrialId trial) const;
    void perform(const StartTrial& action);
    void perform(const ResumeTrial& action);
    void perform(const Regroup& action);
    void perform(const PauseTrial& action);
    void perform(const StopTrial& action);
    void perform(const DropCheckpoint& action);
    void perform(const FinishSweep& action);
    void answer(const TrialReported& report, const std::vector<Action>& actions);
    void tell_to_go_on(TrialId trial);

    Resource last_resource(TrialId trial) const;
    void fail(TrialId trial, FailureKind kind, std::optional<SlotId> slot, const std::string& message,
              ProgramFault fault = ProgramFault::none);
    void watch_for_identical_reports(const TrialMetrics& notice);
    void lose(const std::set<SlotId>& slots);
    void require_slots() const;
    void evaluate(TrialId best);
    void drop_obsolete_checkpoints();
    void resume_held_back();
    void leave_out(const std::set<SlotId>& slots);
    void join(TrialId trial, const Group& group, StateSource state);
    void dismiss(TrialId trial, bool save);

    const SweepFile& file_;
    const SweepDirectory& directory_;
    Journal& journal_;
    History& history_;
    Transport& transport_;
    LiveView& view_;
    SweepLock* lock_;
    std::vector<Json> opening_;
    Rendezvous rendezvous_;
    SlotMap slots_;
    Groups groups_;
    SlotHealth health_;
    std::map<SlotId, SlotDown> down_;  ///< slots on which no trainer can be started now
    IdenticalReports identical_reports_;
    Prospects prospects_;
    bool hopeless_ = false;
    std::chrono::steady_clock::time_point next_look_;  ///< when to look for a request to stop
    std::vector<Record> batch_;                        ///< records of this turn, which are not yet in the journal
    std::map<TrialId, Resource> reported_;             ///< last resource of each trial that has a report in `batch_`
    std::set<TrialId> obsolete_;                       ///< trials whose checkpoints are to be dropped
    std::optional<TrialEvaluated> evaluated_;
};

}  // namespace crescendo::launch
