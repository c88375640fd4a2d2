#include "launch/agent/written_reports.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "launch/messages/line_channel.hpp"
#include "launch/messages/trial_files.hpp"
#include "launch/messages/trial_report.hpp"
#include "launch/system/last_words.hpp"

namespace crescendo::launch {
namespace {

/// How often a file is looked at into which a program writes. Nobody waits for an answer.
constexpr std::chrono::milliseconds time_between_looks{100};

/// How often a disk is asked for its room.
constexpr std::chrono::seconds time_between_questions{1};

constexpr std::int64_t many_lines = 1000;

/// Bytes of a line that are looked at. Of JSON one more than there may be, so that a longer one shows.
std::size_t longest_line(const ReportSource& source) { return source.patterns.empty() ? longest_message + 1 : 4096; }

}  // namespace

WrittenReports::WrittenReports(const ReportSource& source, const std::string& metric, TrialId trial,
                               const std::string& folder)
    : source_(source),
      trial_(trial),
      path_(folder + "/" + (source.is_printed() ? trial_files::log : source.file)),
      tail_(path_, source.is_printed() ? FileTail::From::end : FileTail::From::beginning, longest_line(source)),
      begin_(static_cast<std::uintmax_t>(tail_.offset())) {
    if (!source.patterns.empty()) {
        pattern_.emplace(source.patterns, metric, source.counts_from);
    }
}

std::vector<std::string> WrittenReports::lines(Clock::time_point now) {
    return next_look_ && now < *next_look_ ? std::vector<std::string>() : look(now);
}

std::vector<std::string> WrittenReports::last_lines(Clock::time_point now) {
    auto lines = look(now);
    if (auto rest = has_more() ? "" : tail_.rest(); !rest.empty()) {
        lines.push_back(std::move(rest));
    }
    return lines;
}

/// Where very much was written, the next look follows at once.
std::vector<std::string> WrittenReports::look(Clock::time_point now) {
    auto lines = tail_.lines();
    std::erase(lines, "");
    next_look_ = has_more() ? now : now + time_between_looks;
    return lines;
}

std::optional<protocol::Report> WrittenReports::report_in(const std::string& line) {
    ++num_lines_;
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
    if (::statvfs(path_.c_str(), &disk) != 0 || disk.f_blocks == 0) {  // of 0 blocks where nobody counts them
        return false;
    }
    return (::geteuid() == 0 ? disk.f_bfree : disk.f_bavail) == 0;
}

std::string WrittenReports::place() const { return source_.is_printed() ? "its output" : source_.file; }

std::string WrittenReports::why_none() const {
    const auto missing = !pattern_                 ? "a report"
                         : pattern_->has_matched() ? fmt::format("a match for '{}'", pattern_->awaited_group())
                                                   : std::string("a match of report.pattern");
    std::error_code ignored;
    const auto status = std::filesystem::status(path_, ignored);
    if (!source_.is_printed() && !std::filesystem::exists(status)) {
        return fmt::format("there is no file {}, where its reports are looked for; let it write there "
                           "($CRESCENDO_TRIAL_DIR is that folder)",
                           path_);
    }
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        return fmt::format("{} is no regular file, and reports are looked for in no other; let the program write one",
                           place());
    }
    const auto words = last_words(path_, begin_);
    if (num_lines_ == 0 && words.empty()) {
        return fmt::format("{} is empty, and {} is looked for there", place(), missing);
    }
    if (num_lines_ == 1) {
        return fmt::format("{} is one line, without {}: {}", place(), missing, words);
    }
    return fmt::format("none of the {} lines of {} has {}; the last ones: {}", num_lines_, place(), missing, words);
}

}  // namespace crescendo::launch
