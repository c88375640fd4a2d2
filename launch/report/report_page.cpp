#include "launch/report/report_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "launch/report/assets.hpp"
#include "launch/report/html.hpp"
#include "launch/view/printable.hpp"
#include "launch/view/results.hpp"

namespace crescendo::launch {
namespace {

constexpr std::size_t most_static_trials = 50;
constexpr std::size_t most_static_spans = 3000;
constexpr std::size_t most_static_faults = 200;

std::string number(const OrderedJson& value) {
    if (value.is_null()) {
        return "–";
    }
    if (value.is_string()) {
        return markup_text(value.get<std::string>());
    }
    return value.is_number_float() ? fmt::format("{:.5g}", value.get<double>()) : markup_text(value.dump());
}

std::string text(const OrderedJson& object, const char* key) { return markup_text(object.at(key).get<std::string>()); }

/// A table with a heading for each column; cells are HTML.
std::string table(const char* kind, const std::vector<std::string>& columns,
                  const std::vector<std::vector<std::string>>& rows) {
    std::string result = fmt::format("<div class='scroll'><table class='{}'><thead><tr>", kind);
    for (const auto& column : columns) {
        result += fmt::format("<th scope='col'>{}</th>", column);
    }
    result += "</tr></thead><tbody>\n";
    for (const auto& row : rows) {
        result += "<tr>";
        for (const auto& cell : row) {
            result += fmt::format("<td>{}</td>", cell);
        }
        result += "</tr>\n";
    }
    return result + "</tbody></table></div>\n";
}

/// Names and values, one beside the other.
std::string chips(const OrderedJson& values) {
    std::string result = "<dl class='chips'>";
    for (const auto& [name, value] : values.items()) {
        result += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", markup_text(name), number(value));
    }
    return result + "</dl>\n";
}

std::string figure(const std::string& value, const std::string& what, const std::string& more = "") {
    return fmt::format("<div class='figure'><b>{}</b><span>{}</span><small>{}</small></div>\n", value, what, more);
}

/// What the sweep took: slot-hours, and money and energy as far as they are known.
std::string spending(const OrderedJson& sweep) {
    const auto& spent = sweep.at("spending");
    const auto of = [&](const char* key) { return number_text(spent.at(key).get<double>()); };
    auto result = figure(of("slot_hours"), "slot-hours",
                         fmt::format("{} more were idle; {:.0f} % in use", of("idle_slot_hours"),
                                     100 * sweep.at("utilization").get<double>()));
    if (!spent.at("cost").is_null()) {
        result += figure(of("cost"), "cost", fmt::format("and {} for idle slots", of("idle_cost")));
    }
    for (const auto& [key, what] : {std::pair("gpu_joules", "GPUs"), std::pair("cpu_joules", "CPUs")}) {
        if (spent.contains(key)) {
            result += figure(number_text(spent.at(key).get<double>() / 3.6e6) + " kWh", "energy",
                             fmt::format("of the {}", what));
        }
    }
    return result;
}

std::string state_text(const OrderedJson& sweep, PageKind kind) {
    static const std::map<std::string, std::string> words{
        {"running", "still running: this page shows it as it was when the page was written"},
        {"queued", "waiting for its batch job"},
        {"stopped", "stopped early; it can be resumed"},
        {"failed", "failed: no trial ended well"},
        {"damaged", "its journal is damaged: this page shows it up to the damage"}};
    const auto state = sweep.at("state").get<std::string>();
    if (state == "running" && kind == PageKind::served) {
        return "still running: this page follows it";
    }
    if (const auto found = words.find(state); found != words.end()) {
        return found->second;
    }
    return sweep.at("reason").is_null() ? state : "finished: " + text(sweep, "reason");
}

std::string commands(const OrderedJson& sweep) {
    std::string result = "<ul class='commands'>";
    for (const auto& step : sweep.at("next")) {
        result += fmt::format("<li><code>{}</code> <span>{}</span></li>", markup_text(step.at(0).get<std::string>()),
                              markup_text(step.at(1).get<std::string>()));
    }
    return result + "</ul>\n";
}

/// A trial counts with its last report. An earlier one, or one of another trial, may have been better: charts show it.
std::string better_report(const OrderedJson& sweep, const std::string& best) {
    const auto& improvements = sweep.at("best_so_far");
    const auto highest = improvements.empty() ? best : number(improvements.back().at(2));
    return highest == best ? ""
                           : fmt::format("; {} in a report of trial {} that was not its last", highest,
                                         number(improvements.back().at(3)));
}

std::string answer(const OrderedJson& sweep) {
    const auto& best = sweep.at("best");
    std::string result;
    if (const auto problem = text(sweep, "problem"); !problem.empty()) {
        result += fmt::format("<p class='warning' role='alert'>{}</p>\n", problem);
    }
    result += "<div class='figures'>\n";
    if (best.is_object()) {
        const auto metric = sweep.at("metric").get<std::string>();
        const auto& metrics = best.at("metrics");
        const bool is_judged = best.contains("judged");
        const auto value = is_judged ? number(best.at("judged"))
                                     : (metrics.contains(metric) ? number(metrics.at(metric)) : "–");
        result += figure(
            value, markup_text(metric),
            fmt::format(
                "best: {}trial {}, resource {}{}",
                is_judged ? text(best, "judge") + " of configuration " + number(best.at("configuration")) + ", " : "",
                number(best.at("trial")), number(best.at("resource")), better_report(sweep, value)));
        if (best.at("test").is_object()) {
            const auto& test = best.at("test");
            const auto same = test.find(metric);
            const auto shown = same == test.end() ? test.begin() : same;
            if (shown != test.end()) {
                result += figure(number(shown.value()), markup_text(shown.key()), "on the test data");
            }
        }
    }
    result += figure(clock_text(sweep.at("elapsed")), "time", "that the sweep was at work");
    result += spending(sweep);
    result += figure(number(sweep.at("num_trials")), "trials",
                     fmt::format("{} regroups, {} faults", number(sweep.at("regroups")), sweep.at("faults").size()));
    result += "</div>\n";
    if (best.is_object()) {
        result += "<h3>The best configuration</h3>\n" + chips(best.at("config"));
        result += "<h3>Its metrics</h3>\n" + chips(best.at("metrics"));
        if (best.at("test").is_object()) {
            result += "<h3>On the test data</h3>\n" + chips(best.at("test"));
        }
    } else {
        result += fmt::format("<p class='warning'>{}</p>\n",
                              sweep.at("num_trials") == 0 ? "No trial has started."
                              : sweep.at("faults").empty()
                                  ? "No trial has reported a finite value of the metric, so there is no best one."
                                  : "No trial has reported a finite value of the metric, so there is no best one. The "
                                    "failures below may say why.");
    }
    if (const auto& wait = sweep.at("data_wait"); !wait.is_null() && wait.get<double>() > 0.1) {
        result += fmt::format("<p class='warning'>Trials waited for data during {:.0f} % of their time.</p>\n",
                              100 * wait.get<double>());
    }
    return result + "<h3>What to type next</h3>\n" + commands(sweep);
}

// A sequence that colour-blind people tell apart, for 1, 2, 4, 8, 16 and more workers; page.css has the same.
std::string colour_of(std::size_t workers) {
    constexpr const char* colours[] = {"#302c78", "#2e5987", "#2d8688", "#31ba75", "#8dc53c", "#edd727"};
    const auto step = static_cast<std::size_t>(std::log2(std::max<std::size_t>(1, workers)));
    return colours[std::min<std::size_t>(step, std::size(colours) - 1)];
}

/// The slots over time as a picture, for readers without scripts.
std::string slots_picture(const OrderedJson& sweep) {
    std::map<int, double> rows;  // of slots
    for (const auto& lane : sweep.at("lanes")) {
        rows[lane.at(0)] = 0;
    }
    constexpr double width = 900;
    const double height = std::clamp(360.0 / std::max<double>(1, static_cast<double>(rows.size())), 2.0, 18.0);
    double y = 0;
    for (auto& [slot, row] : rows) {
        row = y;
        y += height;
    }
    const double scale = width / std::max(1e-9, sweep.at("elapsed").get<double>());
    std::string result = fmt::format(
        "<svg role='img' aria-label='Slots over time' viewBox='0 0 {} {}' width='100%'><rect width='100%' "
        "height='100%' fill='#8883'/>\n",
        width, y);
    std::size_t drawn = 0;
    for (const auto& span : sweep.at("spans")) {
        const double from = span.at(1).get<double>() * scale;
        const double to = span.at(2).get<double>() * scale;
        for (const auto& slot : span.at(3)) {
            if (++drawn <= most_static_spans && rows.contains(slot.get<int>())) {
                result +=
                    fmt::format("<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='{}'/>", from,
                                rows[slot.get<int>()], std::max(0.3, to - from), height, colour_of(span.at(3).size()));
            }
        }
    }
    return result + "</svg>\n";
}

std::string best_trials(const OrderedJson& sweep) {
    const auto& columns = sweep.at("columns");
    std::vector<std::string> headings;
    std::size_t metric = 0;
    for (const auto& column : columns) {
        if (column == sweep.at("metric_column")) {
            metric = headings.size();
        }
        headings.push_back(number(column));
    }
    std::vector<const OrderedJson*> rows;
    for (const auto& row : sweep.at("rows")) {
        rows.push_back(&row);
    }
    const double sign = sweep.at("goal") == "maximize" ? -1 : 1;
    const auto loss = [&](const OrderedJson* row) {
        const auto& value = row->at(metric);
        return value.is_number() ? sign * value.get<double>() : HUGE_VAL;
    };
    std::ranges::stable_sort(rows, {}, loss);
    rows.resize(std::min(rows.size(), most_static_trials));
    std::vector<std::vector<std::string>> cells;
    for (const auto* row : rows) {
        auto& line = cells.emplace_back();
        for (const auto& cell : *row) {
            line.push_back(number(cell));
        }
    }
    return table("trials", headings, cells);
}

std::string rungs(const OrderedJson& sweep) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& rung : sweep.at("rungs")) {
        auto& row = rows.emplace_back();
        for (const auto& [name, value] : rung.items()) {
            row.push_back(number(value));
        }
    }
    return table("rungs",
                 {"rung at", "reached it", "went on", "cut there", "worst that went on", "best that was cut",
                  "resource saved by the cut"},
                 rows);
}

std::string failures(const OrderedJson& sweep) {
    const auto& faults = sweep.at("faults");
    if (faults.empty()) {
        return "<p>No trial failed, and no worker was lost.</p>\n";
    }
    std::vector<std::vector<std::string>> rows;
    for (const auto& fault : faults) {
        if (rows.size() < most_static_faults) {
            rows.push_back({clock_text(fault.at(0)), number(fault.at(1)), number(fault.at(2)), number(fault.at(3)),
                            fmt::format("<pre>{}</pre>", number(fault.at(4)))});
        }
    }
    std::string result = table("failures", {"time", "trial", "slot", "kind", "last words"}, rows);
    if (faults.size() > rows.size()) {
        result += fmt::format("<p>{} further failures are not listed.</p>\n", faults.size() - rows.size());
    }
    return result;
}

std::string machine(const OrderedJson& sweep) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& [name, value] : sweep.at("versions").items()) {
        rows.push_back({markup_text(name), number(value)});
    }
    for (const auto& session : sweep.at("sessions")) {
        rows.push_back({"session at " + clock_text(session.at(0)), number(session.at(1))});
    }
    return table("machine", {"what", "value"}, rows) +
           fmt::format("<h3>The sweep file</h3>\n<pre class='file'>{}</pre>\n", text(sweep, "file"));
}

/// A place for the script to draw in.
std::string chart(const char* kind, std::size_t sweep, const char* title, const char* caption) {
    return fmt::format(
        "<figure data-chart='{}' data-sweep='{}'><figcaption><b>{}</b> <span>{}</span></figcaption></figure>\n", kind,
        sweep, title, caption);
}

std::string left_out(const OrderedJson& sweep) {
    const auto points = sweep.at("points_left_out").get<std::size_t>();
    const auto spans = sweep.at("spans_left_out").get<std::size_t>();
    return points + spans == 0
               ? ""
               : fmt::format(
                     "<p class='note'>So that the page stays small, {} reports of learning curves and "
                     "{} short stays on slots are not drawn. All figures and tables are complete.</p>\n",
                     points, spans);
}

std::string details(const char* title, const std::string& content, bool is_open = true) {
    return fmt::format("<details{}><summary>{}</summary>\n{}</details>\n", is_open ? " open" : "", title, content);
}

std::string article(const OrderedJson& sweep, std::size_t index, bool is_open, PageKind kind) {
    const auto scheduler = text(sweep, "scheduler");
    std::string result = fmt::format(
        "<details class='sweep' id='sweep{0}' data-sweep='{0}'{1}><summary><h2>{2}</h2><span "
        "class='state {3}'>{3}</span><span class='muted'>{4}, sampler {5}, in {6}</span></summary>\n",
        index, is_open ? " open" : "", text(sweep, "name"), text(sweep, "state"), scheduler, text(sweep, "sampler"),
        text(sweep, "directory"));
    result += fmt::format("<p class='muted'>{}</p>\n", state_text(sweep, kind));
    result += "<section class='answer'>\n" + answer(sweep) + "</section>\n";
    result += left_out(sweep);
    result += fmt::format("<noscript><h3>Slots over time</h3>\n{}<h3>The best trials</h3>\n{}</noscript>\n",
                          slots_picture(sweep), best_trials(sweep));
    result += fmt::format("<div class='filters' data-filters='{}'></div>\n", index);
    result += chart("gantt", index, "Slots over time",
                    "Who ran where. Hatched: nobody. Drag to zoom, double-click to see all.");
    result += "<div class='two'>\n";
    result += chart("best", index, "Best so far", "Over time, drag to zoom, double-click to see all.");
    result += chart("curves", index, "Learning curves", "A dot: one report, or a change of workers.");
    result += "</div>\n";
    result += chart("parallel", index, "Configurations", "Drag along an axis to filter; double-click clears it.");
    result += chart("slices", index, "Each parameter", "One dot a trial, at its last report.");
    result += "<div class='two'>\n";
    result += chart("importance", index, "What matters",
                    "Share of the variance that a parameter explains alone (fANOVA); whiskers: trees disagree.");
    result += chart("pair", index, "Two parameters together", "The metric, averaged over all others.");
    result += "</div>\n";
    result += chart("marginals", index, "Partial dependence",
                    "The metric over one parameter, averaged over all others; the band: trees disagree.");
    result += chart("rungs", index, "Rungs", "One dot a trial where it was judged; hollow: it was cut there.");
    result += details("Rungs in figures", rungs(sweep));
    result += details("Failures", failures(sweep), !sweep.at("faults").empty());
    result += fmt::format(
        "<details open><summary>All trials</summary><div data-chart='trials' data-sweep='{}'></div></details>\n",
        index);
    return result + details("Sweep file, versions, machine", machine(sweep), false) + "</details>\n";
}

bool has_value(const OrderedJson& method, const std::string& name) {
    return method.contains(name) && !method.at(name).is_null();
}

/// Whether any method has a value of this name: a single seed has no interval, and a sweep without a price no cost.
bool is_known(const OrderedJson& methods, const std::string& name) {
    return std::ranges::any_of(methods, [&](const auto& method) { return has_value(method, name); });
}

/// The column with the other end of an interval: seconds_high for seconds_low. Empty if `name` is not of an end.
std::string other_end(const std::string& name) {
    const auto stem = name.substr(0, name.rfind('_'));
    return name == stem + "_low" ? stem + "_high" : name == stem + "_high" ? stem + "_low" : "";
}

/// JSON has no infinity. Where one end of an interval is null and the other is not, the first is infinite.
std::string value_text(const OrderedJson& method, const std::string& name) {
    const bool is_infinite = !has_value(method, name) && has_value(method, other_end(name));
    return !is_infinite ? number(method.at(name)) : name.ends_with("_low") ? "−∞" : "∞";
}

std::string methods_of(const OrderedJson& methods) {
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows(methods.size());
    for (const auto& [name, first] : methods.at(0).items()) {
        if (is_known(methods, name) || is_known(methods, other_end(name))) {
            columns.push_back(markup_text(name));
            for (std::size_t i = 0; i < methods.size(); ++i) {
                rows[i].push_back(value_text(methods[i], name));
            }
        }
    }
    return table("methods", columns, rows);
}

/// "<b>rasda</b> was <b>2.02 times</b> as fast as <b>asha</b>", as surely as the sweeps tell it.
std::string speed(const OrderedJson& method, const OrderedJson& baseline) {
    const auto name = text(method, "submission");
    const auto other = text(baseline, "submission");
    const auto& ratio = method.at("speedup");
    if (ratio.is_null()) {
        return fmt::format("<b>{}</b> and <b>{}</b> have no ratio: half the sweeps of one, or more, missed it", name,
                           other);
    }
    const auto& low = method.at("speedup_low");
    const auto& high = method.at("speedup_high");
    const auto times = fmt::format("{:.3g} times", ratio.get<double>());
    if (low.is_null()) {
        return fmt::format("<b>{}</b> was <b>{}</b> as fast as <b>{}</b>", name, times, other);
    }
    const auto interval = fmt::format("95 % interval: {:.3g} to {}", low.get<double>(),
                                      high.is_null() ? "∞" : fmt::format("{:.3g}", high.get<double>()));
    if (low <= 1 && (high.is_null() || high >= 1)) {
        return fmt::format(
            "the sweeps do not tell whether <b>{0}</b> or <b>{1}</b> is faster: {0} was {2} as fast ({3})", name, other,
            times, interval);
    }
    return fmt::format("<b>{}</b> was <b>{}</b> as fast as <b>{}</b> ({})", name, times, other, interval);
}

/// The comparison in a sentence for each method.
std::string verdict(const OrderedJson& comparison, const std::string& metric) {
    const auto& methods = comparison.at("methods");
    const auto& target = comparison.at("target");
    const auto reached = [](const OrderedJson& method) {
        return fmt::format("{} of {} of {}", number(method.at("reached")), number(method.at("sweeps")),
                           text(method, "submission"));
    };
    std::string result;
    for (std::size_t i = 1; i < methods.size() && !target.is_null(); ++i) {
        result += fmt::format("<p>To {} = {}, {}. Sweeps that reached it: {}, {}.</p>\n", metric, number(target),
                              speed(methods[i], methods[0]), reached(methods[i]), reached(methods[0]));
    }
    return result +
           "<p class='note'>Counted until the first report that is as good, which need not be its trial's last.</p>\n";
}

/// Who ran where in each of these sweeps, one below the other on the same axis of time.
std::string common_slots(const std::vector<OrderedJson>& sweeps, std::vector<std::size_t> shown) {
    constexpr std::size_t most = 8;
    shown.resize(std::min(shown.size(), most));
    std::string result = "<div class='stack'>\n";
    for (const auto i : shown) {
        const auto name = text(sweeps[i], "name");
        const auto scheduler = text(sweeps[i], "scheduler");
        const auto title = name == scheduler ? name : fmt::format("{} ({})", name, scheduler);
        result += chart("gantt-common", i, title.c_str(), "");
    }
    if (sweeps.size() > shown.size()) {
        result += "<p class='note'>The slots of the other sweeps are below.</p>\n";
    }
    return result + "</div>\n";
}

/// The sweep that stands for each method where all of them would be too many: its first.
std::vector<std::size_t> first_of_each_method(const OrderedJson& comparison, const std::vector<OrderedJson>& sweeps) {
    std::vector<std::size_t> first;
    for (const auto& directory : comparison.at("first_sweeps")) {
        const auto found =
            std::ranges::find(sweeps, directory, [](const auto& sweep) { return sweep.at("directory"); });
        if (found != sweeps.end()) {
            first.push_back(static_cast<std::size_t>(found - sweeps.begin()));
        }
    }
    return first;
}

std::string comparison_section(const OrderedJson& comparison, const std::vector<OrderedJson>& sweeps) {
    std::string result = "<section id='comparison'><h2>Side by side</h2>\n";
    if (const auto problem = text(comparison, "problem"); !problem.empty()) {
        std::vector<std::size_t> all(sweeps.size());
        std::iota(all.begin(), all.end(), 0);
        return result + fmt::format("<p class='warning'>{}</p>\n", problem) + common_slots(sweeps, all) +
               "</section>\n";
    }
    const auto& methods = comparison.at("methods");
    const bool has_intervals = is_known(methods, "idle_slot_hours_low");  // which is never infinite
    result += verdict(comparison, text(sweeps.front(), "metric"));
    result += fmt::format("<h3>What it took{}</h3>\n", has_intervals ? ", with 95 % intervals over seeds" : "");
    result += methods_of(methods);
    result += fmt::format("<div class='svg'>{}</div>\n", comparison.at("chart").get<std::string>());
    result += fmt::format("<h3>Slots over time{}</h3>\n",
                          sweeps.size() > methods.size() ? ", of the first sweep of each method" : "");
    return result + common_slots(sweeps, first_of_each_method(comparison, sweeps)) + "</section>\n";
}

}  // namespace

std::string report_page(const std::vector<OrderedJson>& sweeps, const OrderedJson& comparison, PageKind kind) {
    std::string names;
    for (const auto& sweep : sweeps) {
        names += (names.empty() ? "" : ", ") + text(sweep, "name");
    }
    std::string body;
    if (!comparison.is_null()) {
        body += comparison_section(comparison, sweeps);
    }
    OrderedJson data{{"sweeps", OrderedJson::array()}};
    for (std::size_t i = 0; i < sweeps.size(); ++i) {
        body += article(sweeps[i], i, sweeps.size() == 1, kind);
        data["sweeps"].push_back(sweeps[i]);
    }
    return fmt::format(
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>\n"
        "<meta name='viewport' content='width=device-width,initial-scale=1'>\n"
        "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'{6}\">\n"
        "<title>{0} – Crescendo</title>\n<style>\n{1}</style></head>\n<body>\n"
        "<header><h1>{0}</h1><span class='muted'>Crescendo {2}</span>"
        "<span class='keys'>← → trials by rank · B best · Esc none</span>{7}</header>\n<main>\n{3}</main>\n"
        "<div id='tip' role='status'></div>\n"
        "<script type='application/json' id='data'>{4}</script>\n<script>\n{5}</script>\n</body></html>\n",
        names, page_style, CRESCENDO_VERSION, body, script_json(data), page_script,
        kind == PageKind::served ? "; connect-src 'self'" : "",
        kind == PageKind::served ? "<span id='live'></span>" : "");
}

}  // namespace crescendo::launch
