#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch/files/file_tail.hpp"
#include "launch/messages/report_pattern.hpp"
#include "launch/messages/report_source.hpp"
#include "launch/process/child_process.hpp"
#include "launch/system/clock.hpp"

namespace crescendo::launch {

/// A line that is no empty one, where reports are looked for.
struct WrittenLine {
    std::string text;
    bool is_earlier = false;  ///< it was there before the process started
};

/// The reports of one process that does not send them: they are found in the trial's log, where the process prints
/// them, or in a file that it writes.
///
/// Of a file, all lines count: what an earlier process wrote, and nobody read, is made good. What it was killed in the
/// middle of is no line, though. Of the log, only those from now on: an earlier process has printed the others.
class WrittenReports {
  public:
    /// `metric` is the sweep's, `folder` the trial's. Make it before the process starts, so that no line is missed, and
    /// after an earlier one has ended: its last line gets an end.
    WrittenReports(const ReportSource& source, const std::string& metric, TrialId trial, const std::string& folder);

    /// The lines that are complete since the last look, or the first of them where there are very many. None before
    /// next_look(). Empty lines are left out.
    std::vector<WrittenLine> lines(Clock::time_point now);

    /// As lines(), but at any time: the process has ended. Call it as long as there is more. What stands behind the
    /// last complete line is one if the process ended well, or if it is JSON: one that was killed may have been in the
    /// middle of a number.
    std::vector<WrittenLine> last_lines(Clock::time_point now, const ExitStatus& status);

    /// Whether the last look stopped before the end of what was written.
    bool has_more() const { return tail_.has_more(); }

    /// When lines() looks again; none before its first look.
    std::optional<Clock::time_point> next_look() const { return next_look_; }

    /// The report that a line completes, if it does. Takes the lines in their order, each once. Throws std::exception,
    /// with the problem, on a line that is a mistake, unless an earlier process made it.
    std::optional<protocol::Report> report_in(const WrittenLine& line);

    /// Whether the process may have written the file again, with what was there: no line of it is known as its own.
    bool is_written_alike() const { return tail_.is_written_alike(); }

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
    std::vector<WrittenLine> look(Clock::time_point now);
    std::optional<protocol::Report> read(const std::string& line);

    ReportSource source_;
    TrialId trial_;
    std::string path_;
    bool is_torn_;  ///< whether an earlier process left its last line without an end
    FileTail tail_;
    std::optional<ReportPattern> pattern_;  ///< none: the lines are JSON
    std::int64_t num_lines_ = 0;            ///< of this process that report_in() got
    std::optional<Clock::time_point> next_look_;
    Clock::time_point room_known_until_{};
};

}  // namespace crescendo::launch
