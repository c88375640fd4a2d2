#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <variant>
#include <vector>

#include "launch/coordinator/failures.hpp"
#include "launch/coordinator/orders.hpp"
#include "launch/journal/history.hpp"
#include "launch/journal/journal.hpp"
#include "launch/messages/messages.hpp"
#include "launch/sampling/proposal_source.hpp"

namespace crescendo::launch {

/// Turns events into orders: first it writes events to the journal, then the scheduler decides, then the agents get
/// their orders.
///
/// Records wait for commit(), so that one sync serves all records of a turn. Actions are never in the journal, because
/// replaying the events computes them again.
class Decisions {
  public:
    /// `history` must have taken every record of `journal`. `journal`, `history` and `orders` must outlive this object.
    Decisions(Journal& journal, History& history, Orders& orders, std::unique_ptr<ProposalSource> source);

    const History& history() const { return history_; }
    const Sweep& sweep() const { return history_.sweep(); }

    void record(const Event& event, const Json& details = Json::object());
    void record(const TrialFailed& event, const std::string& message, ProgramFault fault);
    void record(ReportRecord record);
    void record(const EnergyUsed& energy);

    /// Reads the past again with another spec that leads to the same decisions: one that names the metric, before the
    /// first report. `journal` is the path of the journal.
    void read_again(const SweepSpec& spec, const std::filesystem::path& journal);

    /// Records the trial's configuration, unless that record already waits for commit(). Repetitions share one record,
    /// which names the first of them.
    void record_config(TrialId trial);

    /// Adds a record that already has the journal's form: a note, or an event with its time.
    void append(Json record) { batch_.emplace_back(std::move(record)); }

    /// Writes all records to the journal, applies them, and carries out the resulting actions.
    void commit();

    /// Starts trials with the sampler's proposals, if it proposes by events.
    void propose();

    /// How long the caller may wait for other things before propose() may have something new; nothing: as long as it
    /// likes.
    std::optional<std::chrono::milliseconds> patience() const { return source_->patience(); }

    /// Resource of the trial's last report, including reports that wait for commit().
    Resource last_resource(TrialId trial) const;

    /// Whether no trial has reported anything, and none would.
    bool is_hopeless() const { return is_hopeless_; }

  private:
    /// A line of the journal.
    using Record = std::variant<Json, ReportRecord, ProposalRecord>;

    void write(const Json& record) { journal_.append(record); }
    void write(const ReportRecord& record) { journal_.append_members(members_of(record)); }
    void write(const ProposalRecord& record) { journal_.append_members(members_of(record)); }
    void take_effect(const Json& record);
    void take_effect(ReportRecord& record);
    void take_effect(const ProposalRecord& record);
    void carry_out(const std::vector<Action>& actions);

    Journal& journal_;
    History& history_;
    Orders& orders_;
    std::unique_ptr<ProposalSource> source_;
    std::vector<Record> batch_;             ///< records that are not in the journal yet
    std::map<TrialId, Resource> reported_;  ///< last resource of each trial that has a report in `batch_`
    std::set<TrialId> configured_;          ///< trials whose configuration is recorded but has not taken effect yet
    Hope hope_;
    bool is_hopeless_ = false;
};

}  // namespace crescendo::launch
