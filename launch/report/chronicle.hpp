#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launch/journal/history.hpp"

namespace crescendo::launch {

/// A trial on its slots, with no change of the group in between. Times are in seconds that the sweep had been at work.
struct Span {
    TrialId trial;
    double from = 0;
    double to = 0;
    std::vector<SlotId> slots;  ///< in rank order
};

/// A slot while the sweep had it.
struct Lane {
    SlotId slot;
    NodeId node;
    double from = 0;
    double to = 0;
};

/// A failure of a trial, or of one of its workers.
struct Fault {
    double time = 0;
    TrialId trial;
    std::optional<SlotId> slot;  ///< where it was; none: nobody knows
    std::string kind;
    std::string message;  ///< last words; may be empty
};

/// Who held which slots when, besides all that a history has: what a picture of a sweep is drawn from.
class Chronicle {
  public:
    /// Reads a journal as far as it can be read: where it is damaged, problem() says so. `is_running`: a process works
    /// on the sweep.
    static Chronicle read(const SweepSpec& spec, const std::filesystem::path& journal, bool is_running,
                          Reports reports = Reports::curves);

    const History& history() const { return history_; }
    const std::vector<Span>& spans() const { return spans_; }  ///< trial by trial, in the order of time
    const std::vector<Lane>& lanes() const { return lanes_; }  ///< in the order in which they end
    const std::vector<Fault>& faults() const { return faults_; }
    /// What kept the rest of the journal from being read; empty if all was read.
    const std::string& problem() const { return problem_; }

  private:
    Chronicle(const SweepSpec& spec, Reports reports) : history_(spec, reports) {}

    /// Takes one line of the journal.
    void take(const Journal::Line& line);

    /// The journal ends here: what is still open lasts until now.
    void close(bool is_running);

    void note(const Json& record);
    void follow_slots();
    void add_spans(TrialId trial, double now);

    History history_;
    std::map<SlotId, double> joined_;
    std::map<SlotId, NodeId> nodes_;
    std::vector<Span> spans_;
    std::vector<Lane> lanes_;
    std::vector<Fault> faults_;
    std::string problem_;
};

}  // namespace crescendo::launch
