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

/// The metric's name with other characters than groups can have: `val/loss` becomes `val_loss`.
std::string name_of_group(std::string metric);

/// Reads reports from what a program prints, by regular expressions with named groups in Python's syntax:
/// `epoch (?P<resource>\d+).*acc=(?P<val_accuracy>[\d.]+)`.
///
/// The group `resource` is the report's resource, every other group a metric. The line that gives the sweep's metric
/// completes a report; what lines before it gave is a part of it. Without a group `resource`, reports are counted. A
/// terminal's colours are no part of a line, unless an expression matches with them only.
///
/// The expressions are those of RE2, which takes time in proportion to a line's length, whatever the expression.
class ReportPattern {
  public:
    /// `metric` is the sweep's; if it is empty, likely_metric() chooses a group. `counts_from` is what the program
    /// calls its first epoch; reports count from 1. Throws InvalidInput (key "report.pattern", or
    /// "report.pattern[<index>]" if there are several) on an expression that is none, or that gives no metric.
    ReportPattern(const std::vector<std::string>& expressions, const std::string& metric, std::int64_t counts_from);
    ~ReportPattern();
    ReportPattern(ReportPattern&&) = delete;
    ReportPattern& operator=(ReportPattern&&) = delete;

    /// The report that the line completes, if it does. Throws std::runtime_error if a group matches something that is no
    /// number.
    std::optional<protocol::Report> read(std::string_view line);

    /// The group that completes a report.
    const std::string& metric() const { return metric_; }

    /// Whether the program says which resource a report is of. Else they are counted.
    bool has_resource() const { return has_resource_; }

    /// Whether any line has matched.
    bool has_matched() const { return has_matched_; }

    /// The group that a report still waits for: the sweep's metric, or `resource` where the metric is there.
    std::string_view awaited_group() const;

  private:
    bool take(const re2::RE2& expression, std::string_view line);
    void note(const std::string& group, std::string_view text);

    std::vector<std::unique_ptr<re2::RE2>> expressions_;
    std::string metric_;
    std::int64_t counts_from_;
    bool has_resource_ = false;  ///< whether an expression has the group
    bool has_matched_ = false;
    bool is_complete_ = false;  ///< whether the present line gave the sweep's metric
    std::optional<std::int64_t> resource_;
    std::map<std::string, double> metrics_;  ///< of the report that is not complete yet
};

}  // namespace crescendo::launch
