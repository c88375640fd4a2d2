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
    double time = 0;  ///< when, in seconds that the sweep had been at work
    int workers = 1;
    int num_events = 0;  ///< events of the sweep before it: those of one time came in this order
};

/// A change of a trial's group.
struct GroupRecord {
    double time = 0;              ///< when it was decided, in seconds that the sweep had been at work
    int num_events = 0;           ///< events of the sweep before the one that decided it
    std::vector<SlotId> slots{};  ///< those that the trial has from now on, in rank order
    int generation = 0;           ///< of the new group

    /// What the trial told of the group's first steps, and when; none if it told nothing.
    std::optional<TrialTimed> timed{};
    std::optional<TrialRegrouped> regrouped{};
    double told = 0;
    int num_events_told = 0;  ///< events of the sweep before it was told

    int workers() const { return static_cast<int>(slots.size()); }
};

/// A session of a sweep: a coordinator at work.
struct Session {
    double elapsed = 0;  ///< seconds that the sweep had been at work before
    double date = 0;     ///< when it began, in seconds since the epoch
    std::string host;
};

/// The mean of numbers, without those that are unknown.
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

/// What the journal knows of a trial beyond the scheduler's state.
struct TrialHistory {
    std::optional<double> started;     ///< when, in seconds that the sweep had been at work
    std::optional<double> ended;       ///< same units as `started`; none while the trial has not ended
    double slot_seconds = 0;           ///< slots × time that it held them; up to the last event that concerns it
    double running_seconds = 0;        ///< time that the trial held slots; up to the last event that concerns it
    int most_workers = 0;              ///< most workers that it had at a time
    std::vector<TrialReport> reports;  ///< ordered by resource; at least the last one, see Reports
    std::vector<GroupRecord> groups;   ///< in the order of time; none if only last reports are kept
    Mean data_wait;                    ///< share of time that the group waited for samples, over all reports
    std::optional<double> gpu_joules;  ///< energy of the GPUs of its slots; none if none was measured
    std::string last_failure;
};

/// Slots that a session leaves out, and what each of them is, such as "GPU 3 of node17"; "" if nobody said that.
using LeftOut = std::map<SlotId, std::string>;

/// Energy in joules. What was not measured is missing.
struct Energy {
    std::optional<double> cpus;  ///< processors and memory of the nodes, with all that runs there
    std::optional<double> gpus;  ///< GPUs of the slots, in use or not
};

/// What a history keeps of a trial's reports, which a sweep can have many millions of. The last one is whole.
enum class Reports {
    last,    ///< the last one; no changes of groups either
    curves,  ///< all, of the others only the sweep's metric: programs may report a hundred more
    all
};

/// Seconds for which a session that is at work leaves its journal without a record at most: what a crash may take from
/// the account.
inline constexpr double longest_silence = 60;

/// A sweep as its journal has it: the scheduler's state, rebuilt event by event, and everything else that users want to
/// read. The running coordinator and every command that reads a sweep use this one class, so they cannot disagree.
class History {
  public:
    explicit History(SweepSpec spec, Reports kept = Reports::last);

    /// A history with a whole journal. Throws InvalidInput if it is damaged.
    static History read(const SweepSpec& spec, const std::filesystem::path& journal);

    /// Why a journal is read: to look at the sweep, or to continue it (see Journal::recover).
    enum class Purpose { look, go_on };

    /// Reads a whole journal. Each line is applied, or given to `take`, which has to apply it. Models are not asked for
    /// what they have proposed there. Throws InvalidInput if the journal is damaged, once it has taken what comes
    /// before.
    Journal::End replay(const std::filesystem::path& journal, Purpose purpose,
                        std::function<void(const Journal::Line&)> take = {});

    /// Takes one record of the journal: an event, a note, or the header. Returns what an event asks to do.
    std::vector<Action> apply(const Json& record);

    std::vector<Action> apply(ReportRecord record);
    std::vector<Action> apply(const ProposalRecord& record);

    /// Takes one line of the journal. Reports and configurations, which are most lines, are read without a JSON value.
    std::vector<Action> apply(const Journal::Line& line);

    /// What a ProposalSource has for the sweep now.
    std::optional<Event> propose(auto& source) {
        return source.next(sweep_);
    }

    /// The session is still at work at `time` (seconds since the epoch). Times do not go back: older journals follow a
    /// clock that may have been set back.
    void come_to(double time) { last_time_ = std::max(last_time_, time); }

    /// No process works on the sweep any more: what ran waits to be resumed.
    void interrupt();

    /// What somebody who looks at the sweep at `now` (seconds since the epoch) sees: while a process holds it, time
    /// goes by; else what ran waits. A holder may have only begun, as `resume` does for a while before its session, or
    /// just change a limit. So time goes by no longer than a session is silent, and as long again for what delays it.
    void look(double now, bool is_held);

    const Sweep& sweep() const { return sweep_; }
    const TrialHistory& of(TrialId trial) const { return trials_.at(static_cast<std::size_t>(trial.value)); }

    /// Why the sweep has no best trial, for a message.
    std::string why_no_best() const;

    /// Seconds that a coordinator was at work, over all sessions, up to the last record.
    double elapsed() const { return elapsed_at(last_time_); }
    /// Seconds that a coordinator was at work up to `time`, which is in this session (seconds since the epoch).
    double elapsed_at(double time) const { return elapsed_before_ + (time - session_start_); }
    double last_time() const { return last_time_; }

    /// The training clock, at `time` (seconds since the epoch), of a trial whose trainer keeps none: the time from its
    /// start to its first report and from each report to the next.
    double clock_at(TrialId trial, double time) const;
    const std::vector<Session>& sessions() const { return sessions_; }

    /// Seconds for which the trial held slots up to `time` (seconds since the epoch), over all sessions.
    double running_seconds_at(TrialId trial, double time) const;

    /// Slots × time that the trial held them, as of elapsed().
    double slot_seconds_of(TrialId trial) const;

    /// Most slots that the sweep had at once, over all sessions: the last one may have had none.
    int most_slots() const { return most_slots_; }

    /// Slots × time that trials held them.
    double slot_seconds() const { return held_.slot_seconds + held_.slots * (elapsed() - held_.until); }

    /// Slots × time that the sweep had them, from its start to its end. Those that no trial held idled.
    double slot_seconds_had() const { return had_now().slot_seconds; }
    double idle_slot_seconds() const;
    /// Nodes × time that the sweep had a slot of them.
    double node_seconds_had() const { return had_now().node_seconds; }

    /// Mean time from one report of a trial to its next, however many slots it holds; nothing before the first report.
    std::optional<double> seconds_per_report() const;

    /// Mean share of time that groups waited for samples, over all reports that have it; nothing if none has.
    std::optional<double> data_wait() const;

    /// Metrics of the best trial on the test data.
    struct Test {
        TrialId trial;
        protocol::Metrics metrics;
    };
    const std::optional<Test>& test() const { return test_; }

    /// Seconds from the end of the trials to the end of the tests; 0 if there were no tests.
    double evaluation_seconds() const { return evaluation_seconds_; }

    /// What the nodes took while the sweep was at work.
    const Energy& energy() const { return energy_; }

    /// Slots that this session leaves out, because too many workers failed there.
    const LeftOut& left_out() const { return left_out_; }

    /// Changes of the keys that may change, in the order of the journal.
    const std::vector<LimitsChange>& limits_changes() const { return limits_changes_; }

    /// What users wrote about the sweep and its trials.
    const Annotations& annotations() const { return annotations_; }

    /// Whether the journal has what the request of this name asked for.
    bool has_done(const std::string& request) const { return done_requests_.contains(request); }

    /// Seconds that each change of a group took in memory, from the order to the end of the first step.
    const std::vector<double>& regroup_seconds() const { return regroup_seconds_; }
    /// The same for each phase of a regroup that its trainer told of, by the name of the phase.
    const std::map<std::string, std::vector<double>>& regroup_phases() const { return regroup_phases_; }

  private:
    /// Before a journal is replayed: tells the sweep all configurations that models will have proposed there. Their
    /// records come after their trials' starts, so the replay would ask the models once more, and throw the answers
    /// away. Returns whether it read the journal.
    bool foresee(const std::filesystem::path& journal, Purpose purpose);
    /// What a trial holds now. Times are elapsed().
    struct Holding {
        int slots = 0;
        double since = 0;    ///< when it got the first of them; the last time that it had some, while it has none
        double counted = 0;  ///< until when its slots are in the TrialHistory
    };

    /// What all trials held until `until` (elapsed()), and how many slots they hold since.
    struct Held {
        double slot_seconds = 0;
        double running_seconds = 0;  ///< sum over trials, whatever their slots
        double until = 0;
        int slots = 0;
        int trials = 0;  ///< how many trials hold them
    };

    /// What the sweep had, in use or not, until `until` (elapsed()).
    struct Had {
        double slot_seconds = 0;
        double node_seconds = 0;
        double until = 0;
        int num_nodes = 0;  ///< since then
    };

    Had had_now() const;
    double running_seconds() const { return held_.running_seconds + held_.trials * (elapsed() - held_.until); }
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
    std::vector<Holding> holding_;  ///< of each trial
    Held held_;
    std::optional<Test> test_;
    double evaluation_seconds_ = 0;
    std::vector<double> regroup_seconds_;
    std::map<std::string, std::vector<double>> regroup_phases_;
    LeftOut left_out_;
    std::map<NodeId, std::set<SlotId>> slots_of_nodes_;  ///< slots that joined in this session
    int most_slots_ = 0;
    Had had_;
    Energy energy_;
    std::map<std::string, int> meter_of_host_;  ///< the node whose agent tells of a host's processors, this session
    std::vector<LimitsChange> limits_changes_;
    Annotations annotations_;
    std::set<std::string> done_requests_;
    double session_start_ = 0;
    double last_time_ = 0;
    double elapsed_before_ = 0;
    std::vector<Session> sessions_;
    int num_reports_ = 0;
    int num_events_ = 0;  ///< before the one that is taken now
};

/// These make the records that are not events. A time note says only that the session was still at work.
Json time_note(double time);
Json session_note(double time, const std::string& host, int slots);
Json left_out_note(double time, const LeftOut& slots);
Json test_note(double time, TrialId trial, const protocol::Metrics& metrics);
Json energy_note(double time, const EnergyUsed& energy);

}  // namespace crescendo::launch
