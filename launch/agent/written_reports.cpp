#include "launch/agent/written_reports.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "launch/files/last_words.hpp"
#include "launch/json/bare_words.hpp"
#include "launch/messages/line_channel.hpp"
#include "launch/messages/trial_files.hpp"
#include "launch/messages/trial_report.hpp"

namespace crescendo::launch {
namespace {

/// Time between looks at a file into which a program writes. No program waits for an answer.
constexpr std::chrono::milliseconds time_between_looks{100};

/// Time between checks of a disk's free space.
constexpr std::chrono::seconds time_between_questions{1};

constexpr std::int64_t many_lines = 1000;

/// Maximum bytes read of a line. For JSON, one more than allowed, so that an oversized line is detected.
std::size_t longest_line(const ReportSource& source) { return source.patterns.empty() ? longest_message + 1 : 4096; }

/// Whether a line is complete JSON. It may not be if a process was killed in the middle of it, or began to rewrite its
/// file there.
bool is_json(const std::string& line) { return Json::accept(line) || Json::accept(without_bare_words(line)); }

FileTail tail_of(const std::string& path, const ReportSource& source) {
    return {path, source.is_printed() ? FileTail::From::end : FileTail::From::beginning, longest_line(source),
            source.patterns.empty() ? FileTail::IsWhole(is_json) : FileTail::IsWhole()};
}

}  // namespace

WrittenReports::WrittenReports(const ReportSource& source, const std::string& metric, TrialId trial,
                               const std::string& folder)
    : source_(source),
      trial_(trial),
      path_(folder + "/" + (source.is_printed() ? trial_files::log : source.file)),
      is_torn_(end_last_line(path_)),
      tail_(tail_of(path_, source)) {
    if (!source.patterns.empty()) {
        pattern_.emplace(source.patterns, metric, source.counts_from);
    }
}

std::vector<WrittenLine> WrittenReports::lines(Clock::time_point now) {
    return next_look_ && now < *next_look_ ? std::vector<WrittenLine>() : look(now);
}

std::vector<WrittenLine> WrittenReports::last_lines(Clock::time_point now, const ExitStatus& status) {
    auto lines = look(now);
    auto rest = has_more() ? "" : tail_.rest();
    if (!rest.empty() && (status.success() || !pattern_)) {
        lines.push_back({std::move(rest)});
    }
    return lines;
}

/// If there is very much output, the next look follows at once.
std::vector<WrittenLine> WrittenReports::look(Clock::time_point now) {
    auto texts = tail_.lines();
    const bool ends_earlier = tail_.offset() >= tail_.first_size();
    std::vector<WrittenLine> lines;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const bool is_earlier = i < tail_.num_earlier();
        const bool is_torn = is_torn_ && ends_earlier && i + 1 == tail_.num_earlier();
        if (!texts[i].empty() && !(is_torn && pattern_)) {  // the JSON parser detects an incomplete line
            lines.push_back({std::move(texts[i]), is_earlier});
        }
    }
    next_look_ = has_more() ? now : now + time_between_looks;
    return lines;
}

std::optional<protocol::Report> WrittenReports::report_in(const WrittenLine& line) {
    if (!line.is_earlier) {
        ++num_lines_;
        return read(line.text);
    }
    try {
        return read(line.text);
    } catch (const std::exception&) {
        return {};  // the earlier process failed because of it, or was killed while it wrote it
    }
}

std::optional<protocol::Report> WrittenReports::read(const std::string& line) {
    if (!pattern_) {
        return report_from(trial_, parse_message(line));
    }
    auto report = pattern_->read(line);
    if (report) {
        report->trial = trial_;
    }
    return report;
}

bool WrittenReports::is_time_to_remark() const {
    return num_lines_ == many_lines && pattern_ && !pattern_->has_matched();
}

bool WrittenReports::loses_lines(Clock::time_point now) {
    if (!source_.is_printed() || now < room_known_until_) {
        return false;
    }
    room_known_until_ = now + time_between_questions;
    struct statvfs disk {};
    if (::statvfs(path_.c_str(), &disk) != 0 || disk.f_blocks == 0) {  // f_blocks is 0 if the system counts none
        return false;
    }
    return (::geteuid() == 0 ? disk.f_bfree : disk.f_bavail) == 0;
}

std::string WrittenReports::place() const { return source_.is_printed() ? "its output" : source_.file; }

std::string WrittenReports::why_none() const {
    const auto missing = !pattern_                 ? "a report"
                         : pattern_->has_matched() ? fmt::format("a match for '{}'", pattern_->awaited_group())
                                                   : std::string("a match for report.pattern");
    std::error_code ignored;
    const auto status = std::filesystem::status(path_, ignored);
    if (!source_.is_printed() && !std::filesystem::exists(status)) {
        return fmt::format(
            "there is no file {}, which should contain its reports; let it write there ($CRESCENDO_TRIAL_DIR is that "
            "folder)",
            path_);
    }
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        return fmt::format("{} is not a regular file, and reports are read only from one; let the program write one",
                           place());
    }
    const auto words = last_words(path_, static_cast<std::uintmax_t>(tail_.first_size()));
    if (num_lines_ == 0 && words.empty()) {
        return fmt::format("{} is empty, but should contain {}", place(), missing);
    }
    if (num_lines_ == 1) {
        return fmt::format("{} is a single line, without {}: {}", place(), missing, words);
    }
    return fmt::format("none of the {} lines of {} has {}; the last ones: {}", num_lines_, place(), missing, words);
}

}  // namespace crescendo::launch
