#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launch/journal/annotations.hpp"
#include "launch/journal/journal.hpp"
#include "launch/journal/limits_change.hpp"
#include "launch/journal/proposal_record.hpp"
#include "launch/journal/report_record.hpp"
#include "launch/json/json.hpp"
#include "launch/messages/messages.hpp"
#include "scheduler/sweep/sweep.hpp"

namespace crescendo::launch {

/// One report of a trial.
struct TrialReport : protocol::Report {
    double time = 0;  ///< when it was made, in seconds that the sweep had been at work
    int workers = 1;
    int num_events = 0;  ///< events of the sweep before it; orders reports of the same time
};

/// A change of a trial's group.
struct GroupRecord {
    double time = 0;              ///< when it was decided, in seconds that the sweep had been at work
    int num_events = 0;           ///< events of the sweep before the one that decided it
    std::vector<SlotId> slots{};  ///< slots that the trial has from now on, in rank order
    int generation = 0;           ///< generation of the new group

    /// What the trial reported about the group's first steps, and when; none if it reported nothing.
    std::optional<TrialTimed> timed{};
    std::optional<TrialRegrouped> regrouped{};
    double told = 0;
    int num_events_told = 0;  ///< events of the sweep before that report

    int workers() const { return static_cast<int>(slots.size()); }
};

/// A session of a sweep: a coordinator at work.
struct Session {
    double elapsed = 0;  ///< seconds that the sweep had been at work before
    double date = 0;     ///< when it began, in seconds since the epoch
    std::string host;
};

/// The mean of numbers. Unknown numbers do not count.
class Mean {
  public:
    void add(std::optional<double> number) {
        sum_ += number.value_or(0);
        count_ += number ? 1 : 0;
    }
    void add(const Mean& other) {
        sum_ += other.sum_;
        count_ += other.count_;
    }
    /// The mean; nothing if no number is known.
    std::optional<double> value() const { return count_ > 0 ? std::optional(sum_ / count_) : std::nullopt; }

  private:
    double sum_ = 0;
    int count_ = 0;
};

/// What the journal has about a trial beyond the scheduler's state.
struct TrialHistory {
    std::optional<double> started;     ///< when it started, in seconds that the sweep had been at work
    std::optional<double> ended;       ///< same units as `started`; none while the trial has not ended
    double slot_seconds = 0;           ///< slots × seconds that it held them, up to the last event about it
    double running_seconds = 0;        ///< seconds that it held slots, up to the last event about it
    int most_workers = 0;              ///< most workers that it had at once
    std::vector<TrialReport> reports;  ///< ordered by resource; at least the last one, see Reports
    std::vector<GroupRecord> groups;   ///< by time; empty if only last reports are kept
    Mean data_wait;                    ///< share of time that the group waited for samples, over all reports
    std::optional<double> gpu_joules;  ///< energy of its slots' GPUs; none if none was measured
    std::string last_failure;
};

/// Slots that a session leaves out, with their devices, such as "GPU 3 of node17"; "" if unknown.
using LeftOut = std::map<SlotId, std::string>;

/// Energy in joules. Unmeasured values are missing.
struct Energy {
    std::optional<double> cpus;  ///< processors and memory of the nodes, including all other load
    std::optional<double> gpus;  ///< GPUs of the slots, in use or not
};

/// Which reports of a trial a history keeps. A sweep can have many millions. The last report is always complete.
enum class Reports {
    last,    ///< only the last one, and no changes of groups
    curves,  ///< all; of the earlier ones only the sweep's metric, because programs may report a hundred others
    all
};

/// Maximum number of seconds for which a working session writes no journal record. A crash loses at most this much of
/// the time accounts.
inline constexpr double longest_silence = 60;

/// A sweep as its journal describes it: the scheduler's state, rebuilt event by event, and everything else that users
/// want to read. The running coordinator and every command that reads a sweep use this one class, so they cannot
/// disagree.
class History {
  public:
    explicit History(SweepSpec spec, Reports kept = Reports::last);

    /// Reads a whole journal into a history. Throws InvalidInput if it is damaged.
    static History read(const SweepSpec& spec, const std::filesystem::path& journal);

    /// Why a journal is read: to look at the sweep, or to continue it (see Journal::recover).
    enum class Purpose { look, go_on };

    /// Reads a whole journal. Each line is applied, or passed to `take`, which must apply it. Models are not asked
    /// again for proposals that the journal has. If the journal is damaged, throws InvalidInput after applying the
    /// lines before the damage.
    Journal::End replay(const std::filesystem::path& journal, Purpose purpose,
                        std::function<void(const Journal::Line&)> take = {});

    /// Takes one record of the journal: an event, a note, or the header. Returns the actions that follow from an event.
    std::vector<Action> apply(const Json& record);

    std::vector<Action> apply(ReportRecord record);
    std::vector<Action> apply(const ProposalRecord& record);

    /// Takes one line of the journal. Most lines are reports and configurations, which are read without a JSON value.
    std::vector<Action> apply(const Journal::Line& line);

    /// The source's next event for the sweep, if any.
    std::optional<Event> propose(auto& source) {
        return source.next(sweep_);
    }

    /// Notes that the session is still at work at `time` (seconds since the epoch). Time never goes back, although
    /// older journals follow a clock that may have been set back.
    void come_to(double time);

    /// Notes that no process works on the sweep any more: trials that ran wait to be resumed.
    void interrupt();

    /// Brings the history to what an observer sees at `now` (seconds since the epoch): if a process holds the sweep,
    /// time goes by; otherwise trials that ran wait. A holder may have only just started, like `resume` before its
    /// session, or may only be changing a limit. So time advances at most as long as a session may be silent, plus the
    /// same again for delays.
    void look(double now, bool is_held);

    const Sweep& sweep() const { return sweep_; }
    const TrialHistory& of(TrialId trial) const { return trials_.at(static_cast<std::size_t>(trial.value)); }

    /// Why the sweep has no best trial, for messages.
    std::string why_no_best() const;

    /// Seconds that a coordinator was at work, over all sessions, up to the last record.
    double elapsed() const { return elapsed_at(last_time_); }
    /// Seconds that a coordinator was at work up to `time` (seconds since the epoch), which must be in this session.
    double elapsed_at(double time) const { return elapsed_before_ + (time - session_start_); }
    double last_time() const { return last_time_; }

    /// The training clock at `time` (seconds since the epoch) for a trial whose trainer keeps none: the time from its
    /// start to its first report, and from each report to the next.
    double clock_at(TrialId trial, double time) const;
    const std::vector<Session>& sessions() const { return sessions_; }

    /// Seconds for which the trial held slots up to `time` (seconds since the epoch), over all sessions.
    double running_seconds_at(TrialId trial, double time) const;

    /// Slots × seconds that the trial held them, as of elapsed().
    double slot_seconds_of(TrialId trial) const;

    /// Most slots that the sweep had at once, over all sessions, because the last session may have had none.
    int most_slots() const { return most_slots_; }

    /// Slots × seconds that trials held them.
    double slot_seconds() const { return slots_held_.total(elapsed()); }

    /// Slots × seconds that the sweep had them, from its start to its end. Slots that no trial held were idle.
    double slot_seconds_had() const { return slots_had_.total(elapsed()); }
    double idle_slot_seconds() const;
    /// Nodes × seconds that the sweep had at least one slot on them.
    double node_seconds_had() const { return nodes_had_.total(elapsed()); }

    /// Mean seconds from one report of a trial to its next, whatever its number of slots; nothing before the first
    /// report.
    std::optional<double> seconds_per_report() const;

    /// Mean share of time that groups waited for samples, over all reports that state it; nothing if none does.
    std::optional<double> data_wait() const;

    /// Metrics of the best trial on the test data.
    struct Test {
        TrialId trial;
        protocol::Metrics metrics;
    };
    const std::optional<Test>& test() const { return test_; }

    /// Seconds from the end of the trials to the end of the tests; 0 if there were no tests.
    double evaluation_seconds() const { return evaluation_seconds_; }

    /// Energy that the nodes used while the sweep was at work.
    const Energy& energy() const { return energy_; }

    /// Slots that this session leaves out because too many workers failed on them.
    const LeftOut& left_out() const { return left_out_; }

    /// Changes of limits, in the order of the journal.
    const std::vector<LimitsChange>& limits_changes() const { return limits_changes_; }

    /// What users wrote about the sweep and its trials.
    const Annotations& annotations() const { return annotations_; }

    /// Whether the journal has the effect of the request with this name.
    bool has_done(const std::string& request) const { return done_requests_.contains(request); }

    /// Seconds that each regroup in memory took, from the order to the end of the first step.
    const std::vector<double>& regroup_seconds() const { return regroup_seconds_; }
    /// Seconds of each regroup phase that trainers reported, by the name of the phase.
    const std::map<std::string, std::vector<double>>& regroup_phases() const { return regroup_phases_; }

  private:
    /// Gives the sweep, before a replay, all configurations that models proposed. Their records follow their trials'
    /// starts, so the replay would otherwise ask the models again and discard the answers. Returns whether it read the
    /// journal.
    bool foresee(const std::filesystem::path& journal, Purpose purpose);
    /// The slots that a trial holds now. Times are as from elapsed().
    struct Holding {
        int slots = 0;
        double since = 0;    ///< when it got the first of its slots; if it has none, when it last did
        double counted = 0;  ///< time up to which TrialHistory counts its slots
    };

    /// A number of things over time. Times are as from elapsed().
    struct Count {
        int now = 0;
        double since = 0;
        double before = 0;  ///< number × seconds until `since`

        double total(double time) const { return before + now * (time - since); }
        void set(int next, double time) { *this = {next, time, total(time)}; }
    };

    int num_nodes() const;
    void note(const Json& record, double previous_time);
    void note_energy(const Json& record);
    void remember(ReportRecord&& record);
    std::vector<Action> decide(const Event& event);
    template <class AboutTrial>
    void follow(const AboutTrial& action) {
        if constexpr (requires { action.trial; }) {
            follow_slots(action.trial);
        }
    }
    void follow_slots(TrialId id);
    void follow_group(TrialId id);
    void note_regroup(const TrialRegrouped& regrouped);
    GroupRecord* note_told(TrialId trial, int generation);
    bool knows(TrialId id) const { return id.value >= 0 && static_cast<std::size_t>(id.value) < trials_.size(); }
    TrialHistory& its(TrialId id) { return trials_[static_cast<std::size_t>(id.value)]; }
    Holding& holding_of(TrialId id) { return holding_[static_cast<std::size_t>(id.value)]; }
    const Holding& holding_of(TrialId id) const { return holding_.at(static_cast<std::size_t>(id.value)); }

    Sweep sweep_;
    Reports kept_;
    std::vector<TrialHistory> trials_;
    std::vector<Holding> holding_;  ///< by trial
    Count slots_held_;              ///< by trials
    Count trials_running_;          ///< that hold slots
    std::optional<Test> test_;
    double evaluation_seconds_ = 0;
    std::vector<double> regroup_seconds_;
    std::map<std::string, std::vector<double>> regroup_phases_;
    LeftOut left_out_;
    std::map<NodeId, std::set<SlotId>> slots_of_nodes_;  ///< slots that joined in this session
    int most_slots_ = 0;
    int num_nodes_ = 0;
    Count slots_had_;  ///< by the sweep while it runs, used or not
    Count nodes_had_;
    Energy energy_;
    std::map<std::string, int> meter_of_host_;  ///< by host: node whose agent reports its processors, this session
    std::vector<LimitsChange> limits_changes_;
    Annotations annotations_;
    std::set<std::string> done_requests_;
    double session_start_ = 0;
    double last_time_ = 0;
    double elapsed_before_ = 0;
    std::vector<Session> sessions_;
    int num_reports_ = 0;
    int num_events_ = 0;  ///< events before the current one
};

/// These functions create the records that are not events. A time note says only that the session was still at work.
Json time_note(double time);
Json session_note(double time, const std::string& host, int slots);
Json left_out_note(double time, const LeftOut& slots);
Json test_note(double time, TrialId trial, const protocol::Metrics& metrics);
Json energy_note(double time, const EnergyUsed& energy);

}  // namespace crescendo::launch
