#include "launch/view/live_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "launch/display/display_width.hpp"
#include "launch/display/number_text.hpp"
#include "launch/display/printable.hpp"
#include "launch/system/terminal.hpp"
#include "launch/view/progress.hpp"
#include "launch/view/results.hpp"

namespace crescendo::launch {
namespace {

std::string bar(double fraction, std::size_t width) {
    const auto full = static_cast<std::size_t>(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(width));
    return fmt::format("{:█<{}}{:░<{}}", "", full, "", width - full);
}

std::string time_line(const History& history, const Progress& progress, double now) {
    const double since = now - history.last_time();
    const bool is_running = history.sweep().state() == SweepState::running;
    const auto left = is_running && progress.seconds_left
                          ? fmt::format(", about {} left", clock_text(*progress.seconds_left - since))
                          : "";
    return fmt::format("{} elapsed{}", clock_text(history.elapsed() + since), left);
}

std::string counts(const Sweep& sweep, const Progress& p) {
    const auto& [run_cap, repeat] = std::tie(sweep.spec().run_cap, sweep.spec().repeat);
    auto result = fmt::format("{}{} trials started: {} running", p.begun(),
                              run_cap ? fmt::format(" of {}", *run_cap * repeat.times) : "", p.running);
    for (const auto& [count, word] :
         {std::pair(p.waiting, "waiting"), std::pair(p.paused, "paused"), std::pair(p.held, "held"),
          std::pair(p.stopped, "stopped"), std::pair(p.finished, "finished"), std::pair(p.failed, "failed")}) {
        if (count > 0) {
            result += fmt::format(", {} {}", count, word);
        }
    }
    return result + (sweep.awaited_proposal() ? "; waiting for the sampler" : "");
}

std::string best_of(const Sweep& sweep) {
    const auto best = sweep.best();
    if (!best) {
        return "none yet";
    }
    const auto& trial = sweep.trial(*best);
    constexpr std::size_t most_parameters = 12;
    const auto judge = judge_text(sweep, *best);
    return fmt::format("{} {}{} at {}, trial {}: {}", sweep.spec().metric, number_text(best_value(sweep, *best)),
                       judge.empty() ? "" : " (" + judge + ")", trial.resource.value, best->value,
                       brief(trial.config, most_parameters));
}

std::vector<std::string> rung_lines(const Sweep& sweep) {
    constexpr std::size_t bar_width = 24;
    const auto* counted = sweep.spec().repeat.is_on() ? "configs" : "trials";
    const auto rungs = shown_rungs(sweep);
    if (rungs.empty()) {
        return {};
    }
    std::vector<std::string> lines{fmt::format("{:<6} {:>6} {:>7}   {}", "rung", "at", counted, "")};
    double most = 1.0;
    for (const auto& rung : rungs) {
        most = std::max(most, static_cast<double>(rung.size));
    }
    for (std::size_t k = 0; k < rungs.size(); ++k) {
        lines.push_back(fmt::format("{:<6} {:>6} {:>7}   {}", k, rungs[k].milestone.value, rungs[k].size,
                                    bar(static_cast<double>(rungs[k].size) / most, bar_width)));
    }
    return lines;
}

/// How much faster the trial became by growing, measured and predicted.
std::string speedup_text(const Sweep& sweep, TrialId trial) {
    const auto measured = sweep.growth().measured_speedup(trial);
    const auto predicted = sweep.growth().predicted_speedup(trial);
    return (measured ? fmt::format(", {:.2f} times as fast", *measured) : "") +
           (predicted ? fmt::format(" ({:.2f} predicted)", *predicted) : "");
}

/// One line for each slot, with its trial; if there are many slots, as many as `rows` allows.
std::vector<std::string> slot_lines(const Sweep& sweep, std::size_t rows) {
    constexpr std::size_t usual = 16;
    std::map<SlotId, const Trial*> on;
    for (const auto slot : sweep.slots()) {
        on[slot] = nullptr;
    }
    for (const auto& trial : sweep.trials()) {
        for (const auto slot : trial.group.slots) {
            on[slot] = &trial;
        }
    }
    if (on.empty()) {
        return {};
    }
    const auto& scheduler = sweep.spec().scheduler;
    std::vector<std::string> lines{"slot"};
    auto most = std::min(on.size(), usual);
    if (rows < lines.size() + most + (most < on.size() ? 1 : 0)) {
        most = rows - std::min(rows, lines.size() + 1);  // the last row counts the slots that are not shown
    }
    for (const auto& [slot, trial] : on) {
        if (lines.size() > most) {
            lines.push_back(fmt::format("  … and {} more", on.size() - most));
            break;
        }
        lines.push_back(
            trial == nullptr
                ? fmt::format("  {:<4} idle", slot.value)
                : fmt::format("  {:<4} trial {:<4} worker {} of {}, after {}{}{}", slot.value, trial->id.value,
                              std::find(trial->group.slots.begin(), trial->group.slots.end(), slot) -
                                  trial->group.slots.begin() + 1,
                              trial->group.slots.size(), trial->resource.value,
                              scheduler.has_max() ? fmt::format(" of {}", scheduler.max.value) : "",
                              slot == trial->group.slots.front() ? speedup_text(sweep, trial->id) : ""));
    }
    return lines;
}

}  // namespace

std::string clipped(const std::string& text, std::size_t columns) {
    const auto shown = printable(text);
    return display_width(shown) <= columns ? shown : std::string(fitting(shown, columns - 1)) + "…";
}

std::vector<std::string> screen_of(const History& history, const ViewSettings& settings, double now, Room room) {
    const auto& sweep = history.sweep();
    const auto progress = progress_of(history, now, settings.time_budget);
    std::vector<std::string> lines;
    lines.push_back(fmt::format("{}: {} on {} slots, {}", settings.name,
                                scheduler_kinds.of(sweep.spec().scheduler.kind), sweep.num_slots(),
                                time_line(history, progress, now)));
    if (progress.fraction) {
        lines.push_back(fmt::format("{} {:3.0f} %", bar(*progress.fraction, 40), 100 * *progress.fraction));
    }
    lines.push_back(counts(sweep, progress));
    lines.push_back("best   " + best_of(sweep));
    const auto add = [&](const std::vector<std::string>& block) {
        if (block.empty()) {
            return;
        }
        lines.emplace_back();
        lines.insert(lines.end(), block.begin(), block.end());
    };
    add(rung_lines(sweep));
    if (const auto rows = lines.size() + 1; rows < room.rows) {  // after a blank line
        add(slot_lines(sweep, room.rows - rows));
    }
    lines.resize(std::min(lines.size(), room.rows));
    for (auto& line : lines) {
        line = clipped(line, room.columns);
    }
    return lines;
}

std::string line_of(const History& history, const ViewSettings& settings, double now) {
    const auto& sweep = history.sweep();
    const auto progress = progress_of(history, now, settings.time_budget);
    const auto share = progress.fraction ? fmt::format("{:.0f} %, ", 100 * *progress.fraction) : "";
    return fmt::format("{}{}; {}; best {}", share, time_line(history, progress, now), counts(sweep, progress),
                       best_of(sweep));
}

TerminalView::TerminalView(std::FILE* terminal, ViewSettings settings)
    : terminal_(terminal), output_(terminal), settings_(std::move(settings)) {
    output_.write(hide_cursor);
}

/// Written through stdio: if the terminal takes nothing now, it gets this with the next output, and we do not wait for
/// it.
TerminalView::~TerminalView() { std::fputs(show_cursor.data(), terminal_); }

void TerminalView::update(const History& history, double now) {
    const bool over = history.sweep().state() != SweepState::running;
    if (!over && now - drawn_at_ < std::chrono::duration<double>(period()).count()) {
        return;
    }
    if (!output_.flush()) {
        return;  // a reader who returns does not need an old picture
    }
    drawn_at_ = now;
    // Nothing may scroll away, because the next picture is drawn over this one. The cursor is in the last row.
    const auto width = terminal_columns(terminal_, 80);
    const auto rows = terminal_rows(terminal_, 24) - 1;
    const auto rows_said = said_.empty() ? 0 : said_.size() + 1;
    auto lines = screen_of(history, settings_, now, {width, rows - std::min(rows, rows_said)});
    if (!said_.empty()) {
        lines.emplace_back();
    }
    for (const auto& line : said_) {
        lines.push_back(clipped(line, width));
    }
    lines.resize(std::min(lines.size(), rows));
    draw(lines);
}

void TerminalView::say(const std::string& line) {
    constexpr std::size_t most = 4;
    // A line such as "trial 3 crashed: in the same way as trial 1 above" replaces another such line, so that the one
    // above stays.
    const auto refers = [](const std::string& text) { return text.find(": in the same way as ") != text.npos; };
    if (!said_.empty() && refers(said_.back()) && refers(line)) {
        said_.pop_back();
    }
    said_.push_back(in_one_line(line));
    if (said_.size() > most) {
        said_.pop_front();
    }
    drawn_at_ = 0;
}

/// Draws over the last picture, line by line. Nothing else on the terminal is touched.
void TerminalView::draw(const std::vector<std::string>& lines) {
    std::string picture = lines_drawn_ > 0 ? fmt::format("\x1b[{}A", lines_drawn_) : "";
    for (const auto& line : lines) {
        picture += "\r" + line + "\x1b[K\n";
    }
    picture += "\x1b[J";
    output_.write(picture);
    lines_drawn_ = lines.size();
}

void LogView::update(const History& history, double now) {
    output_.flush();
    constexpr double seconds_between_lines = 10;
    const bool is_over = history.sweep().state() != SweepState::running;
    if (now - written_at_ >= seconds_between_lines || (is_over && !has_ended_)) {
        written_at_ = now;
        has_ended_ = is_over;
        say(line_of(history, settings_, now));
    }
}

void LogView::say(const std::string& line) { output_.write(printable(line) + "\n"); }

}  // namespace crescendo::launch
