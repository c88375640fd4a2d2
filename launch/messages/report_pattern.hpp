#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trial_protocol.hpp"

namespace re2 {
class RE2;
}

namespace crescendo::launch {

/// The metric's name as a group name, without the characters that groups cannot have: `val/loss` becomes `val_loss`.
std::string name_of_group(std::string metric);

/// Reads reports from a program's output with regular expressions that have named groups in Python's syntax:
/// `epoch (?P<resource>\d+).*acc=(?P<val_accuracy>[\d.]+)`.
///
/// The group `resource` is the report's resource; every other group is a metric. The line with the sweep's metric
/// completes a report, which also has the metrics of the lines before it. Without a group `resource`, reports are
/// counted. A terminal's colour codes are removed from lines, unless an expression matches only with them.
///
/// The expressions have RE2's syntax. RE2 matches in time linear in the length of a line, whatever the expression.
class ReportPattern {
  public:
    /// `metric` is the sweep's metric; if it is empty, likely_metric() chooses a group. `counts_from` is the number
    /// that the program gives to its first epoch; reports count from 1. Throws InvalidInput (key "report.pattern", or
    /// "report.pattern[<index>]" if there are several) if an expression is invalid or has no metric.
    ReportPattern(const std::vector<std::string>& expressions, const std::string& metric, std::int64_t counts_from);
    ~ReportPattern();
    ReportPattern(ReportPattern&&) = delete;
    ReportPattern& operator=(ReportPattern&&) = delete;

    /// Returns the report that the line completes, if any. Throws std::runtime_error if a group matches something other
    /// than a number.
    std::optional<protocol::Report> read(std::string_view line);

    /// The group whose match completes a report.
    const std::string& metric() const { return metric_; }

    /// Whether the program prints the resource of a report. Otherwise reports are counted.
    bool has_resource() const { return has_resource_; }

    /// Whether any line has matched.
    bool has_matched() const { return has_matched_; }

    /// The group that the next report still lacks: the sweep's metric, or `resource` if the metric has been found.
    std::string_view awaited_group() const;

  private:
    bool take(const re2::RE2& expression, std::string_view line);
    void note(const std::string& group, std::string_view text);

    std::vector<std::unique_ptr<re2::RE2>> expressions_;
    std::string metric_;
    std::int64_t counts_from_;
    bool has_resource_ = false;  ///< whether an expression has the group `resource`
    bool has_matched_ = false;
    bool is_complete_ = false;  ///< whether the current line has the sweep's metric
    std::optional<std::int64_t> resource_;
    std::map<std::string, double> metrics_;  ///< metrics of the incomplete report
};

}  // namespace crescendo::launch
