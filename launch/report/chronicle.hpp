#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launch/journal/history.hpp"

namespace crescendo::launch {

/// A period in which a trial held the same slots. Times are seconds that the sweep had been at work.
struct Span {
    TrialId trial;
    double from = 0;
    double to = 0;
    std::vector<SlotId> slots;  ///< by rank of the worker
};

/// A period in which the sweep had a slot. Times are as in Span.
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
    std::optional<SlotId> slot;  ///< where it happened; none: unknown
    std::string kind;
    std::string message;  ///< last words of the trial; may be empty
};

/// A sweep's history, with the slots that each trial held over time: the data for a picture of a sweep.
class Chronicle {
  public:
    /// Reads a journal as far as it can be read; if it is damaged, problem() says so. `is_running`: whether a process
    /// works on the sweep.
    static Chronicle read(const SweepSpec& spec, const std::filesystem::path& journal, bool is_running,
                          Reports reports = Reports::curves);

    const History& history() const { return history_; }
    const std::vector<Span>& spans() const { return spans_; }  ///< by trial, then by time
    const std::vector<Lane>& lanes() const { return lanes_; }  ///< in order of their ends
    const std::vector<Fault>& faults() const { return faults_; }
    /// Why the rest of the journal could not be read; empty if all was read.
    const std::string& problem() const { return problem_; }

  private:
    Chronicle(const SweepSpec& spec, Reports reports) : history_(spec, reports) {}

    /// Takes one line of the journal.
    void take(const Journal::Line& line);

    /// Ends the journal: spans and lanes that are still open last until now.
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
