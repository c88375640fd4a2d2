#include "launch/report/comparison_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "launch/display/printable.hpp"
#include "launch/report/html.hpp"

namespace crescendo::launch {
namespace {

bool has_value(const OrderedJson& method, const std::string& name) {
    return method.contains(name) && !method.at(name).is_null();
}

/// Whether any method has a value of this name. A single seed has no interval, and a sweep without a price has no cost.
bool is_known(const OrderedJson& methods, const std::string& name) {
    return std::ranges::any_of(methods, [&](const auto& method) { return has_value(method, name); });
}

/// The column of the other end of an interval: seconds_high for seconds_low. Empty if `name` is not an end.
std::string other_end(const std::string& name) {
    const auto stem = name.substr(0, name.rfind('_'));
    return name == stem + "_low" ? stem + "_high" : name == stem + "_high" ? stem + "_low" : "";
}

/// The text of a value. JSON has no infinity, so if only one end of an interval is null, it is infinite.
std::string value_text(const OrderedJson& method, const std::string& name) {
    const bool is_infinite = !has_value(method, name) && has_value(method, other_end(name));
    return !is_infinite ? html::number(method.at(name)) : name.ends_with("_low") ? "−∞" : "∞";
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
    return html::table_of("methods", columns, rows);
}

/// "<b>rasda</b> was <b>2.02 times</b> as fast as <b>asha</b>", with the certainty that the sweeps allow. Intervals of
/// `few` sweeps are not of 95 %.
std::string speed(const OrderedJson& method, const OrderedJson& baseline, bool few) {
    const auto name = html::text(method, "submission");
    const auto other = html::text(baseline, "submission");
    const auto& ratio = method.at("speedup");
    if (ratio.is_null()) {
        return fmt::format("<b>{}</b> and <b>{}</b> have no ratio: at least half the sweeps of one missed it", name,
                           other);
    }
    const auto& low = method.at("speedup_low");
    const auto& high = method.at("speedup_high");
    const auto times = fmt::format("{:.3g} times", ratio.get<double>());
    if (low.is_null()) {
        return fmt::format(
            "<b>{}</b> was <b>{}</b> as fast as <b>{}</b> (with one sweep of a method, chance may explain this)", name,
            times, other);
    }
    const auto interval = fmt::format("{}interval: {:.3g} to {}", few ? "" : "95 % ", low.get<double>(),
                                      high.is_null() ? "∞" : fmt::format("{:.3g}", high.get<double>()));
    if (low <= 1 && (high.is_null() || high >= 1)) {
        return fmt::format(
            "the sweeps do not show whether <b>{0}</b> or <b>{1}</b> is faster: {0} was {2} as fast ({3})", name, other,
            times, interval);
    }
    return fmt::format("<b>{}</b> was <b>{}</b> as fast as <b>{}</b> ({})", name, times, other, interval);
}

/// The comparison in words: one sentence for each method.
std::string verdict(const OrderedJson& comparison, const std::string& metric) {
    const auto& methods = comparison.at("methods");
    const auto& target = comparison.at("target");
    const auto reached = [](const OrderedJson& method) {
        return fmt::format("{} of {} of {}", html::number(method.at("reached")), html::number(method.at("sweeps")),
                           html::text(method, "submission"));
    };
    const bool few = comparison.at("few_sweeps") != "";
    std::string result;
    for (std::size_t i = 1; i < methods.size() && !target.is_null(); ++i) {
        result += fmt::format("<p>To {} = {}, {}. Sweeps that reached it: {}, {}.</p>\n", metric, html::number(target),
                              speed(methods[i], methods[0], few), reached(methods[i]), reached(methods[0]));
    }
    return result +
           "<p class='note'>Counted up to the first report that is as good, even if it is not its trial's last.</p>\n";
}

/// Which trials held which slots in each of these sweeps, one below the other on the same time axis.
std::string common_slots(const std::vector<OrderedJson>& sweeps, std::vector<std::size_t> shown) {
    constexpr std::size_t most = 8;
    shown.resize(std::min(shown.size(), most));
    std::string result = "<div class='stack'>\n";
    for (const auto i : shown) {
        const auto name = html::text(sweeps[i], "name");
        const auto scheduler = html::text(sweeps[i], "scheduler");
        const auto title = name == scheduler ? name : fmt::format("{} ({})", name, scheduler);
        result += html::chart("gantt-common", i, title.c_str(), "");
    }
    if (sweeps.size() > shown.size()) {
        result += "<p class='note'>The slots of the other sweeps are below.</p>\n";
    }
    return result + "</div>\n";
}

/// The first sweep of each method, to show instead of all if these are too many.
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

}  // namespace

std::string comparison_section(const OrderedJson& comparison, const std::vector<OrderedJson>& sweeps) {
    std::string result = "<section id='comparison'><h2>Side by side</h2>\n";
    if (const auto problem = html::text(comparison, "problem"); !problem.empty()) {
        std::vector<std::size_t> all(sweeps.size());
        std::iota(all.begin(), all.end(), 0);
        return result + fmt::format("<p class='warning'>{}</p>\n", problem) + common_slots(sweeps, all) +
               "</section>\n";
    }
    const auto& methods = comparison.at("methods");
    const bool has_intervals = is_known(methods, "idle_slot_hours_low");  // a value that is never infinite
    result += verdict(comparison, html::text(sweeps.front(), "metric"));
    result +=
        fmt::format("<h3>What it took{}</h3>\n",
                    has_intervals ? ", with 95 % intervals over seeds" + html::text(comparison, "few_sweeps") : "");
    result += methods_of(methods);
    result += fmt::format("<div class='svg'>{}</div>\n", comparison.at("chart").get<std::string>());
    result += fmt::format("<h3>Slots over time{}</h3>\n",
                          sweeps.size() > methods.size() ? ", of the first sweep of each method" : "");
    return result + common_slots(sweeps, first_of_each_method(comparison, sweeps)) + "</section>\n";
}

}  // namespace crescendo::launch
