#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "launch/history.hpp"
#include "launch/journal.hpp"
#include "launch/live_view.hpp"
#include "launch/rendezvous.hpp"
#include "launch/stop_signals.hpp"
#include "launch/sweep_directory.hpp"
#include "launch/sweep_file.hpp"
#include "launch/transport.hpp"

namespace crescendo::launch {

enum class Outcome {
    finished,     ///< nothing is left to do
    failed,       ///< ended, and every trial failed
    interrupted,  ///< asked to stop; what ran is saved and can be resumed
};

/// Runs a sweep: turns what agents report into events, journals them, asks the scheduler, and
/// carries its actions out.
///
/// One turn: take what arrived, append the events to the journal with one sync for all of them, apply them, perform
/// the actions. An action is never journalled: replaying the events gives it again.
class Coordinator {
  public:
    /// The caller holds the sweep's lock. `history` has taken every record of `journal`.
    Coordinator(const SweepFile& file, const SweepDirectory& directory, Journal& journal, History& history,
                Transport& transport, LiveView& view);

    /// Until the sweep ends or is asked to stop. Throws JournalError when the journal cannot be written, with
    /// everything that was answered safely in it.
    Outcome run(const StopSignals& signals);

  private:
    using Seconds = double;  // since the epoch

    /// A line of the journal: a report, or any other content.
    struct Record {
        Json content;
        std::optional<ReportRecord> report;
    };

    void begin_session();
    void turn();
    void drain();
    void finish();
    void await_departures(std::chrono::milliseconds patience);
    bool stop_requested(const StopSignals& signals);

    // Notices become records of the journal, or are dealt with here.
    void take(TrialMetrics& notice);
    void take(const ProgramEnded& notice);
    void take(const WorkerFailed& notice);
    void take(const StoreRequest& notice);
    void take(const GroupFormed& notice);
    void take(const LeftTrial& notice);
    void take(const TrialEvaluated& notice);
    void take(const AgentLost& notice);

    void record(const Event& event, const Json& details = Json::object());
    void commit();

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
    bool is_current(TrialId trial, SlotId slot) const;
    void fail(TrialId trial, FailureKind kind, const std::string& message);
    void evaluate(TrialId best);
    void join(TrialId trial, const Group& group, StateSource state);
    void dismiss(TrialId trial, bool save);
    void send_leave(TrialId trial, const std::vector<SlotId>& slots, bool save);
    bool is_leaving(TrialId trial) const;
    void note_departure(TrialId trial, SlotId slot);
    TrialWork work_of(TrialId trial) const;
    NodeId node_of(SlotId slot) const { return node_of_slot_.at(slot); }
    std::set<NodeId> nodes_of(const std::vector<SlotId>& slots) const;

    const SweepFile& file_;
    const SweepDirectory& directory_;
    Journal& journal_;
    History& history_;
    Transport& transport_;
    LiveView& view_;
    Rendezvous rendezvous_;
    std::map<SlotId, NodeId> node_of_slot_;
    std::map<TrialId, std::vector<SlotId>> members_;  ///< whom the orders of a trial go to
    std::set<TrialId> regrouping_;
    std::set<std::pair<TrialId, SlotId>> leaving_;  ///< were told to leave and have not answered
    std::map<TrialId, Group> held_back_;            ///< are to be resumed once all that leave them have left
    std::vector<Record> batch_;                     ///< of this turn, not yet in the journal
    std::map<TrialId, Resource> reported_;          ///< in the batch
    std::optional<TrialEvaluated> evaluated_;
};

}  // namespace crescendo::launch
