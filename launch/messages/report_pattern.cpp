#include "launch/messages/report_pattern.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <utility>

#include "core/check.hpp"
#include "core/number_from.hpp"
#include "launch/files/without_colours.hpp"
#include "launch/messages/likely_metric.hpp"

namespace crescendo::launch {
namespace {

constexpr const char* resource_group = "resource";

std::unique_ptr<re2::RE2> compile(const std::string& expression, const std::string& key) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    auto compiled = std::make_unique<re2::RE2>(expression, options);
    CRESCENDO_VALIDATE(compiled->ok(), key,
                       "is not a regular expression: {}; use RE2's syntax, which is Python's without (?=…), (?!…) and "
                       "\\1",
                       compiled->error());
    CRESCENDO_VALIDATE(!compiled->NamedCapturingGroups().empty(), key,
                       "has no named group, so nothing is read; name the group that matches the number, as in "
                       "acc=(?P<val_accuracy>[^\\s,]+)");
    return compiled;
}

std::optional<double> number_in(std::string text) {
    std::ranges::replace(text, 'D', 'e');  // Fortran's exponent of doubles
    return number_from<double>(std::string_view(text).substr(text.starts_with('+') ? 1 : 0));
}

/// Throws std::runtime_error if a number continues after what a group matched: "6.77" of "6.77e-05", "1" of "1,761.04".
/// A comma may also separate two numbers, unless the expression ends with the group.
void expect_whole(const std::string& group, const std::string& matched, const std::string& rest, bool ends_match) {
    static const re2::RE2 exponent("[eE][-+]?\\d|D[-+]\\d\\d");
    static const re2::RE2 thousands("(?:,\\d{3})+(?:\\D|$)");
    const auto goes_on_with = [&](const re2::RE2& what) {
        return what.Match(rest, 0, rest.size(), re2::RE2::ANCHOR_START, nullptr, 0);
    };
    const bool has_digits_only = std::ranges::all_of(matched, [](char c) { return c >= '0' && c <= '9'; });
    const bool may_be_thousands = ends_match && has_digits_only && matched.size() <= 3;
    const bool lacks_exponent = goes_on_with(exponent);
    if (lacks_exponent || (may_be_thousands && goes_on_with(thousands))) {
        throw std::runtime_error(
            fmt::format("the group '{}' of report.pattern matches only '{}' of the number {}{}; {}", group, matched,
                        matched, rest.substr(0, rest.find_first_of(" \t)]}")),
                        lacks_exponent ? fmt::format("let it match the whole number, as (?P<{}>[^\\s,]+) does", group)
                                       : "print it without commas"));
    }
}

/// Advice about a group that matches more than a number: "0.31," or "90.5%".
std::string remedy_for(const std::string& group, const std::string& matched) {
    static const re2::RE2 thousands("[-+]?\\d{1,3}(?:,\\d{3})+(?:\\D.*)?");
    static const re2::RE2 number_and_more("([-+]?(?:\\d[\\d.]*(?:[eE][-+]?\\d+)?|nan|inf))([,;:/)\\]}%\"']).*");
    std::string number;
    std::string next;
    if (re2::RE2::FullMatch(matched, thousands) || !re2::RE2::FullMatch(matched, number_and_more, &number, &next) ||
        !number_in(number)) {
        return "; let it match only the number, and print that without commas";
    }
    const auto* const end = next == "," ? "" : next == "]" ? "\\]" : next.c_str();
    return fmt::format("; to end it before '{}' write (?P<{}>[^\\s,{}]+)", next, group, end);
}

}  // namespace

std::string name_of_group(std::string metric) {
    const auto is_part = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    std::replace_if(metric.begin(), metric.end(), std::not_fn(is_part), '_');
    return metric.empty() || (metric.front() >= '0' && metric.front() <= '9') ? "_" + metric : metric;
}

ReportPattern::ReportPattern(const std::vector<std::string>& expressions, const std::string& metric,
                             std::int64_t counts_from)
    : metric_(metric), counts_from_(counts_from) {
    CRESCENDO_VALIDATE(metric.empty() || name_of_group(metric) == metric, "report.pattern",
                       "cannot have a group for '{}', the sweep's metric.name: group names consist of letters, digits "
                       "and _; write {} in both places",
                       metric, name_of_group(metric));
    std::vector<std::string> names;
    for (std::size_t i = 0; i < expressions.size(); ++i) {
        const auto key = expressions.size() == 1 ? "report.pattern" : fmt::format("report.pattern[{}]", i);
        const auto& compiled = expressions_.emplace_back(compile(expressions[i], key));
        for (const auto& [name, index] : compiled->NamedCapturingGroups()) {
            if (name == resource_group) {
                has_resource_ = true;
            } else {
                names.push_back(name);
            }
        }
    }
    CRESCENDO_VALIDATE(!names.empty() || !metric.empty(), "report.pattern",
                       "has no group other than 'resource', so there is no number to optimize; name one, as in "
                       "loss=(?P<val_loss>[^\\s,]+)");
    if (metric.empty()) {
        metric_ = likely_metric(names);
    }
    CRESCENDO_VALIDATE(std::ranges::find(names, metric_) != names.end(), "report.pattern",
                       "has no group for '{}', the sweep's metric.name; add (?P<{}>[^\\s,]+) where the program prints "
                       "it",
                       metric_, metric_);
}

ReportPattern::~ReportPattern() = default;

std::string_view ReportPattern::awaited_group() const {
    return metrics_.contains(metric_) ? resource_group : std::string_view(metric_);
}

void ReportPattern::note(const std::string& group, std::string_view text) {
    const auto number = number_in(std::string(text));
    const bool is_resource = group == resource_group;
    constexpr double most = 9e15;  // whole numbers are exact up to here
    if (!number || (is_resource && !(*number == std::floor(*number) && std::abs(*number) < most))) {
        const bool is_fraction = number && std::abs(*number) < most;
        throw std::runtime_error(fmt::format("the group '{}' of report.pattern matches '{}', which is not a {}number{}",
                                             group, text, is_resource ? "whole " : "",
                                             is_fraction ? "; let it match a number of steps instead, or leave the "
                                                           "group out, so that reports are counted"
                                                         : remedy_for(group, std::string(text))));
    }
    if (is_resource) {
        resource_ = static_cast<std::int64_t>(*number) + 1 - counts_from_;
        if (*resource_ < 1) {
            throw std::runtime_error(
                fmt::format("the program's first epoch is {}, but reports count from 1; add `counts_from: {}` to the "
                            "section report",
                            text, text));
        }
    } else {
        metrics_[group] = *number;
    }
}

/// Takes the expression's matches in the text. Returns whether it matches.
bool ReportPattern::take(const re2::RE2& expression, std::string_view line) {
    std::vector<re2::StringPiece> groups(static_cast<std::size_t>(expression.NumberOfCapturingGroups()) + 1);
    const re2::StringPiece text(line.data(), line.size());
    if (!expression.Match(text, 0, text.size(), re2::RE2::UNANCHORED, groups.data(), static_cast<int>(groups.size()))) {
        return false;
    }
    for (const auto& [name, index] : expression.NamedCapturingGroups()) {
        const auto& group = groups[static_cast<std::size_t>(index)];
        if (group.data() != nullptr) {  // else it belongs to an alternative that did not match
            const auto* end = group.data() + group.size();
            expect_whole(name, std::string(group), std::string(end, text.data() + text.size()),
                         end == groups[0].data() + groups[0].size());
            note(name, without_colours({group.data(), group.size()}));
            is_complete_ = is_complete_ || name == metric_;
        }
    }
    return true;
}

std::optional<protocol::Report> ReportPattern::read(std::string_view line) {
    const auto plain = without_colours(line);
    is_complete_ = false;
    for (const auto& expression : expressions_) {
        const bool matches =
            take(*expression, plain) || (plain != line && take(*expression, line));  // an expression with colour codes
        has_matched_ = has_matched_ || matches;
    }
    if (!is_complete_) {
        return {};
    }
    if (!has_resource_) {
        resource_ = resource_.value_or(0) + 1;
    }
    if (!resource_) {
        return {};  // printed before the first epoch
    }
    protocol::Report report;
    report.resource = Resource{*resource_};
    report.metrics = std::exchange(metrics_, {});
    return report;
}

}  // namespace crescendo::launch
