#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch/messages/report_pattern.hpp"
#include "launch/messages/report_source.hpp"
#include "launch/system/clock.hpp"
#include "launch/system/file_tail.hpp"

namespace crescendo::launch {

/// The reports of one process that does not send them: they are found in the trial's log, where the process prints
/// them, or in a file that it writes.
///
/// Of a file, all lines count: what an earlier process wrote, and nobody read, is made good. Of the log, only those
/// from now on: an earlier process has printed the others.
class WrittenReports {
  public:
    /// `metric` is the sweep's, `folder` the trial's. Make it before the process starts, so that no line is missed.
    WrittenReports(const ReportSource& source, const std::string& metric, TrialId trial, const std::string& folder);

    /// The lines that are complete since the last look, or the first of them where there are very many. None before
    /// next_look(). Empty lines are left out.
    std::vector<std::string> lines(Clock::time_point now);

    /// As lines(), but at any time, and with what stands behind the last complete line: the process has ended. Call it
    /// as long as there is more.
    std::vector<std::string> last_lines(Clock::time_point now);

    /// Whether the last look stopped before the end of what was written.
    bool has_more() const { return tail_.has_more(); }

    /// When lines() looks again; none before its first look.
    std::optional<Clock::time_point> next_look() const { return next_look_; }

    /// The report that a line completes, if it does. Takes the lines in their order, each once. Throws std::exception,
    /// with the problem, on a line that is a mistake.
    std::optional<protocol::Report> report_in(const std::string& line);

    /// True after exactly so many lines, none of which has matched, that the pattern may well be wrong: more than most
    /// programs print in an epoch.
    bool is_time_to_remark() const;

    /// Whether lines may be lost, because nothing can be written where the program prints to. Few programs notice, and
    /// where reports are counted, the later ones would stand for earlier ones. A quota does not show. Looks at the disk
    /// once a second at most.
    bool loses_lines(Clock::time_point now);

    /// Where the reports are looked for, for messages.
    std::string place() const;

    /// What a user should know whose program has no reports there.
    std::string why_none() const;

  private:
    std::vector<std::string> look(Clock::time_point now);

    ReportSource source_;
    TrialId trial_;
    std::string path_;
    FileTail tail_;
    std::uintmax_t begin_;                  ///< bytes of the file that are not looked at: others wrote them
    std::optional<ReportPattern> pattern_;  ///< none: the lines are JSON
    std::int64_t num_lines_ = 0;            ///< that report_in() got
    std::optional<Clock::time_point> next_look_;
    Clock::time_point room_known_until_{};
};

}  // namespace crescendo::launch
