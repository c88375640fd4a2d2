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

/// A non-empty line of the place that is searched for reports.
struct WrittenLine {
    std::string text;
    bool is_earlier = false;  ///< the line was there before the process started
};

/// The reports of one process that does not send them. They are read from the trial's log, if the process prints them,
/// or from a file that it writes.
///
/// In a file, all lines count, so lines that an earlier process wrote and nobody read are not lost. A line that an
/// earlier process was killed in the middle of does not count. In the log, only new lines count, because the others
/// were printed by earlier processes.
class WrittenReports {
  public:
    /// `metric` is the sweep's metric, `folder` the trial's folder. Construct it before the process starts, so that no
    /// line is missed, and after the previous process has ended, because its last line is then terminated.
    WrittenReports(const ReportSource& source, const std::string& metric, TrialId trial, const std::string& folder);

    /// The lines completed since the last look, or only the first of them if there are very many. None before
    /// next_look(). Empty lines are left out.
    std::vector<WrittenLine> lines(Clock::time_point now);

    /// As lines(), but at any time, for a process that has ended. Call it while has_more(). Text after the last
    /// complete line counts as a line if the process ended well, or if the text is JSON: a killed process may have
    /// stopped in the middle of a number.
    std::vector<WrittenLine> last_lines(Clock::time_point now, const ExitStatus& status);

    /// Whether the last look stopped before the end of what was written.
    bool has_more() const { return tail_.has_more(); }

    /// When lines() looks again; none before the first look.
    std::optional<Clock::time_point> next_look() const { return next_look_; }

    /// The report that a line completes, if any. Call it once per line, in order. Throws std::exception with the
    /// problem if a line is wrong, unless an earlier process wrote it.
    std::optional<protocol::Report> report_in(const WrittenLine& line);

    /// Whether the process may have rewritten the file with the same content. Then its own lines cannot be told apart.
    bool is_written_alike() const { return tail_.is_written_alike(); }

    /// True exactly once, after enough lines without a match to suggest that the pattern is wrong: more lines than most
    /// programs print in an epoch.
    bool is_time_to_remark() const;

    /// Whether lines may be lost because nothing can be written where the program prints to. Few programs notice that,
    /// and if reports are counted, later ones would be taken for earlier ones. Does not detect quotas. Checks the disk
    /// at most once a second.
    bool loses_lines(Clock::time_point now);

    /// Where the reports are searched, for messages.
    std::string place() const;

    /// What to tell a user whose program has no reports there.
    std::string why_none() const;

  private:
    std::vector<WrittenLine> look(Clock::time_point now);
    std::optional<protocol::Report> read(const std::string& line);

    ReportSource source_;
    TrialId trial_;
    std::string path_;
    bool is_torn_;  ///< whether an earlier process left an unfinished last line
    FileTail tail_;
    std::optional<ReportPattern> pattern_;  ///< none: the lines are JSON
    std::int64_t num_lines_ = 0;            ///< lines of this process that report_in() got
    std::optional<Clock::time_point> next_look_;
    Clock::time_point room_known_until_{};
};

}  // namespace crescendo::launch
