#include "launch/report/sweep_section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <ranges>
#include <utility>
#include <vector>

#include "analysis/regression_forest.hpp"
#include "core/mapped.hpp"
#include "launch/display/number_text.hpp"
#include "launch/display/printable.hpp"
#include "launch/report/html.hpp"
#include "launch/view/results.hpp"

namespace crescendo::launch {
namespace {

constexpr std::size_t most_static_trials = 50;
constexpr std::size_t most_static_spans = 3000;
constexpr std::size_t most_static_faults = 200;

/// What the sweep used: slot-hours, and money and energy as far as they are known.
std::string spending(const OrderedJson& sweep) {
    const auto& spent = sweep.at("spending");
    const auto of = [&](const char* key) { return number_text(spent.at(key).get<double>()); };
    auto result = html::figure(of("slot_hours"), "slot-hours",
                               fmt::format("{} more idle; {:.0f} % in use", of("idle_slot_hours"),
                                           100 * sweep.at("utilization").get<double>()));
    if (!spent.at("cost").is_null()) {
        result += html::figure(of("cost"), "cost", fmt::format("and {} for idle slots", of("idle_cost")));
    }
    for (const auto& [key, what] : {std::pair("gpu_joules", "GPUs"), std::pair("cpu_joules", "CPUs")}) {
        if (spent.contains(key)) {
            result += html::figure(number_text(spent.at(key).get<double>() / 3.6e6) + " kWh", "energy",
                                   fmt::format("of the {}", what));
        }
    }
    return result;
}

std::string state_text(const OrderedJson& sweep, PageKind kind) {
    static const std::map<std::string, std::string> words{
        {"running", "still running: this page shows its state when the page was written"},
        {"queued", "waiting for its batch job"},
        {"stopped", "stopped early; it can be resumed"},
        {"unknown", "unknown, perhaps running: the batch system does not answer"},
        {"failed", "failed: no trial succeeded"},
        {"damaged", "its journal is damaged: this page shows the sweep up to the damage"}};
    const auto state = sweep.at("state").get<std::string>();
    if (state == "running" && kind == PageKind::served) {
        return "still running: this page follows it";
    }
    if (const auto found = words.find(state); found != words.end()) {
        return found->second;
    }
    return sweep.at("reason").is_null() ? state : "finished: " + html::text(sweep, "reason");
}

std::string commands(const OrderedJson& sweep) {
    std::string result = "<ul class='commands'>";
    for (const auto& step : sweep.at("next")) {
        result +=
            fmt::format("<li><code>{}</code> <span>{}</span></li>", html::number(step.at(0)), html::number(step.at(1)));
    }
    return result + "</ul>\n";
}

/// A cell of the table of trials.
const OrderedJson& cell_of(const OrderedJson& sweep, const OrderedJson& trial, const OrderedJson& column) {
    const auto& columns = sweep.at("columns");
    return sweep.at("rows").at(trial.get<std::size_t>()).at(std::ranges::find(columns, column) - columns.begin());
}

/// A note if a report was better than the best trial's value. A trial counts with its last report, unless it failed, so
/// an earlier report, or one of another trial, may have been better. Charts show it.
std::string better_report(const OrderedJson& sweep, const OrderedJson& best, bool is_judged) {
    const auto& improvements = sweep.at("best_so_far");
    if (improvements.empty() || !best.is_number()) {
        return "";
    }
    const auto& value = improvements.back().at(2);
    const auto& trial = improvements.back().at(3);
    const double sign = sweep.at("goal") == "maximize" ? -1 : 1;
    const bool is_better = sign * value.get<double>() < sign * best.get<double>();
    if (!is_better || html::number(value) == html::number(best)) {  // equal in the digits of charts
        return "";
    }
    if (is_judged) {
        return fmt::format("; {} in earlier reports of the configuration of trial {}", html::number(value),
                           html::number(trial));
    }
    return fmt::format("; {} in a report of trial {}, {}", html::number(value), html::number(trial),
                       cell_of(sweep, trial, "status") == "failed" ? "which failed" : "but not its last");
}

/// By how much the best trial won, compared with the next one of another configuration.
std::string runner_up(const OrderedJson& sweep, bool is_judged) {
    const auto& ranking = sweep.at("ranking");
    const auto configuration = [&](const OrderedJson& trial) { return cell_of(sweep, trial, "configuration"); };
    const auto is_other = [&](const OrderedJson& trial) {
        return !is_judged || configuration(trial) != configuration(ranking.front());
    };
    const auto next = std::ranges::find_if(ranking.begin() + 1, ranking.end(), is_other);
    if (next == ranking.end()) {
        return "";
    }
    return fmt::format(
        "; next: {}, resource {}: {}",
        is_judged ? "configuration " + html::number(configuration(*next)) : "trial " + html::number(*next),
        html::number(cell_of(sweep, *next, "resource")), html::number(cell_of(sweep, *next, sweep.at("ranked_by"))));
}

/// "mean of configuration 5, of which 1 repetition failed, "; empty if trials are not repetitions.
std::string judge_of(const OrderedJson& best) {
    if (!best.contains("judged")) {
        return "";
    }
    const int failed = best.value("failed_repetitions", 0);
    return fmt::format("{} of configuration {}, {}", html::text(best, "judge"), html::number(best.at("configuration")),
                       failed > 0 ? fmt::format("of which {} failed, ", counted(failed, "repetition")) : "");
}

std::string answer(const OrderedJson& sweep, std::size_t index) {
    const auto& best = sweep.at("best");
    std::string result;
    if (const auto problem = html::text(sweep, "problem"); !problem.empty()) {
        result += fmt::format("<p class='warning' role='alert'>{}</p>\n", problem);
    }
    result += "<div class='figures'>\n";
    if (best.is_object()) {
        const auto metric = sweep.at("metric").get<std::string>();
        const auto& metrics = best.at("metrics");
        const bool is_judged = best.contains("judged");
        const OrderedJson value = is_judged ? best.at("judged") : metrics.value(metric, OrderedJson());
        result += html::figure(html::number(value), markup_text(metric),
                               fmt::format("best: {}trial {}, resource {}{}{}", judge_of(best),
                                           html::number(best.at("trial")), html::number(best.at("resource")),
                                           better_report(sweep, value, is_judged), runner_up(sweep, is_judged)));
        if (best.at("test").is_object()) {
            const auto& test = best.at("test");
            const auto same = test.find(metric);
            const auto shown = same == test.end() ? test.begin() : same;
            if (shown != test.end()) {
                result += html::figure(html::number(shown.value()), markup_text(shown.key()), "on the test data");
            }
        }
    }
    result += html::figure(clock_text(sweep.at("elapsed")), "time", "while the sweep was running");
    result += spending(sweep);
    result += html::figure(
        html::number(sweep.at("num_trials")), "trials",
        fmt::format("regroups: {}, faults: {}", html::number(sweep.at("regroups")), sweep.at("faults").size()));
    result += "</div>\n";
    if (best.is_object()) {
        result += "<h3>The best configuration</h3>\n" + html::chips(best.at("config"));
        result += "<h3>Its metrics</h3>\n" + html::chips(best.at("metrics"));
        if (best.at("test").is_object()) {
            result += "<h3>On the test data</h3>\n" + html::chips(best.at("test"));
        }
    } else {
        result += fmt::format("<p class='warning'>{}</p>\n",
                              sweep.at("num_trials") == 0 ? "No trial has started."
                              : sweep.at("faults").empty()
                                  ? "No trial has reported a finite value of the metric, so there is no best one."
                                  : fmt::format("No trial has reported a finite value of the metric, so there is no "
                                                "best one. The <a href='#failures{}'>failures</a> may explain why.",
                                                index));
    }
    if (const auto hint = html::text(sweep, "hint"); !hint.empty()) {
        result += fmt::format("<p class='warning'>{}</p>\n", hint);
    }
    return result + "<h3>What to type next</h3>\n" + commands(sweep);
}

/// The colour level of 1, 2, 4, 8, 16 and more workers; page.css has the colours.
int level_of(std::size_t workers) { return std::min(5, static_cast<int>(std::bit_width(workers)) - 1); }

/// The slots over time as a picture, for readers without scripts.
std::string slots_picture(const OrderedJson& sweep) {
    std::map<int, double> rows;  // of slots
    for (const auto& lane : sweep.at("lanes")) {
        rows[lane.at(0)] = 0;
    }
    constexpr double width = 900;
    const double row_height = std::clamp(360.0 / std::max<double>(1, static_cast<double>(rows.size())), 2.0, 18.0);
    double y = 0;
    for (auto& [slot, row] : rows) {
        row = y;
        y += row_height;
    }
    const double scale = width / std::max(1e-9, sweep.at("elapsed").get<double>());
    std::string result = fmt::format(
        "<svg role='img' aria-label='Slots over time' viewBox='0 0 {} {}' width='100%'><rect width='100%' "
        "height='100%' fill='#8883'/>\n",
        width, y);
    auto spans = mapped(sweep.at("spans"), [](const OrderedJson& each) { return &each; });
    const auto length = [](const OrderedJson* span) { return span->at(2).get<double>() - span->at(1).get<double>(); };
    std::ranges::stable_sort(spans, std::greater(), length);
    std::size_t drawn = 0;
    const auto fits = [&](const OrderedJson* span) { return (drawn += span->at(3).size()) <= most_static_spans; };
    const auto end = std::ranges::find_if_not(spans, fits);
    for (const auto* span : std::ranges::subrange(spans.begin(), end)) {
        for (const auto& slot : span->at(3)) {
            if (const auto row = rows.find(slot.get<int>()); row != rows.end()) {
                result += fmt::format("<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='var(--w{})'/>",
                                      span->at(1).get<double>() * scale, row->second,
                                      std::max(0.3, length(span) * scale), row_height, level_of(span->at(3).size()));
            }
        }
    }
    result += "</svg>\n";
    if (const auto num_drawn = end - spans.begin(); end != spans.end()) {
        result += fmt::format("<p class='note'>The {} longest of {} stays are drawn.</p>\n", num_drawn, spans.size());
    }
    return result;
}

std::string best_trials(const OrderedJson& sweep) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& trial : sweep.at("ranking") | std::views::take(most_static_trials)) {
        rows.push_back(html::numbers(sweep.at("rows").at(trial.get<std::size_t>())));
    }
    return html::table_of("trials", html::numbers(sweep.at("columns")), rows);
}

std::string rungs(const OrderedJson& sweep) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& rung : sweep.at("rungs")) {
        rows.push_back(html::numbers(rung));
    }
    return html::table_of("rungs",
                          {"rung at", "reached it", "continued", "stopped there", "worst that continued",
                           "best that was stopped", "resource saved"},
                          rows);
}

std::string failures(const OrderedJson& sweep) {
    const auto& faults = sweep.at("faults");
    if (faults.empty()) {
        return "<p>No trial failed.</p>\n";
    }
    std::vector<std::vector<std::string>> rows;
    for (const auto& fault : faults | std::views::take(most_static_faults)) {
        auto& row = rows.emplace_back(html::numbers(fault));
        row.front() = clock_text(fault.at(0));
        row.back() = fmt::format("<pre>{}</pre>", row.back());
    }
    std::string result = html::table_of("failures", {"time", "trial", "slot", "kind", "last words"}, rows);
    if (faults.size() > rows.size()) {
        result += fmt::format("<p>{} further failures are not listed.</p>\n", faults.size() - rows.size());
    }
    return result;
}

std::string machine(const OrderedJson& sweep) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& [name, value] : sweep.at("versions").items()) {
        rows.push_back({markup_text(name), html::number(value)});
    }
    for (const auto& session : sweep.at("sessions")) {
        rows.push_back({"session at " + clock_text(session.at(0)), html::number(session.at(1))});
    }
    return html::table_of("machine", {"what", "value"}, rows) +
           fmt::format("<h3>The sweep file</h3>\n<pre class='file'>{}</pre>\n", html::text(sweep, "file"));
}

std::string left_out(const OrderedJson& sweep) {
    std::vector<std::string> parts;
    const auto add = [&](const char* key, const char* one, const char* rest) {
        if (const auto count = sweep.at(key).get<std::size_t>(); count > 0) {
            parts.push_back(fmt::format("{} {}", counted(count, one), rest));
        }
    };
    add("points_left_out", "report", "of learning curves");
    add("spans_left_out", "short stay", "on slots");
    std::string result;
    if (!parts.empty()) {
        result = fmt::format(
            "<p class='note'>To stay small, the page does not draw {}. All numbers and tables are complete.</p>\n",
            fmt::join(parts, " and "));
    }
    if (const auto& names = sweep.at("parameters_left_out"); !names.empty()) {
        result += fmt::format("<p class='note'>No charts for parameters with more than {} choices: {}.</p>\n",
                              analysis::Dimension::most_choices, fmt::join(html::numbers(names), ", "));
    }
    return result;
}

}  // namespace

std::string sweep_section(const OrderedJson& sweep, std::size_t index, bool is_open, PageKind kind) {
    const auto scheduler = html::text(sweep, "scheduler");
    const bool is_repeated = html::text(sweep, "ranked_by") == "judged";
    std::string result = fmt::format(
        "<details class='sweep' id='sweep{0}' data-sweep='{0}'{1}><summary><h2>{2}</h2><span "
        "class='state {3}'>{3}</span><span class='muted'>{4}, sampler {5}, in {6}</span></summary>\n",
        index, is_open ? " open" : "", html::text(sweep, "name"), html::text(sweep, "state"), scheduler,
        html::text(sweep, "sampler"), html::text(sweep, "directory"));
    result += fmt::format("<p class='muted'>{}</p>\n", state_text(sweep, kind));
    result += "<section class='answer'>\n" + answer(sweep, index) + "</section>\n";
    result += left_out(sweep);
    result += fmt::format("<noscript><h3>Slots over time</h3>\n{}<h3>The best trials</h3>\n{}</noscript>\n",
                          slots_picture(sweep), best_trials(sweep));
    result += fmt::format("<div class='filters' data-filters='{}'></div>\n", index);
    result += html::chart("gantt", index, "Slots over time",
                          "Each row is a slot, each bar a trial on it. Drag to zoom, double-click to see all.");
    result += "<div class='two'>\n";
    result += html::chart("best", index, "Best so far",
                          is_repeated
                              ? "The best value that any configuration had by then, over its repetitions. Drag to zoom."
                              : "The best value that any trial had reported by then. Drag to zoom.");
    result += html::chart("curves", index, "Learning curves",
                          "Each line is a trial. A dot marks its only report, or a change of workers.");
    result += "</div>\n";
    result += html::chart("parallel", index, "Configurations",
                          "Each line is a trial. Drag along an axis to filter; double-click to clear.");
    result += html::chart("slices", index, "Each parameter", "One dot per trial, at its last report.");
    result += "<div class='two'>\n";
    result += html::chart(
        "importance", index, "What matters",
        "Share of the variance that a parameter explains alone (fANOVA). Whiskers: one standard deviation over "
        "the model's trees.");
    result += html::chart("pair", index, "Two parameters together",
                          "The metric that a model predicts, averaged over all other parameters. Dots are trials.");
    result += "</div>\n";
    result +=
        html::chart("marginals", index, "Partial dependence",
                    "The predicted metric over one parameter, averaged over all others. Band: one standard deviation "
                    "over the model's trees.");
    if (!sweep.at("rungs").empty()) {
        result +=
            html::chart("rungs", index, "Rungs",
                        is_repeated ? "Each dot is a trial. Its configuration was judged there by the values of "
                                      "all its repetitions. A hollow one was stopped there."
                                    : "Each dot is a trial that was judged there. A hollow one was stopped there.");
        result += html::details("Rungs in numbers", rungs(sweep));
    }
    result += fmt::format("<a id='failures{}'></a>", index);
    result += html::details("Failures", failures(sweep), !sweep.at("faults").empty());
    result += fmt::format(
        "<details open><summary>All trials</summary><div data-chart='trials' data-sweep='{}'></div></details>\n",
        index);
    return result + html::details("Sweep file, versions, machine", machine(sweep), false) + "</details>\n";
}

}  // namespace crescendo::launch
