#pragma once

#include <chrono>
#include <cstdio>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "launch/display/live_output.hpp"
#include "launch/journal/history.hpp"

namespace crescendo::launch {

/// Shows a running sweep to a person, without ever waiting for a reader.
class LiveView {
  public:
    virtual ~LiveView() = default;

    /// Shows the state of the sweep. Called in every turn; the view decides how often to draw. `now` is in seconds
    /// since the epoch.
    virtual void update(const History& history, double now) = 0;

    /// Replaces the sweep's time budget, in seconds.
    virtual void change_time_budget(std::optional<double> /*seconds*/) {}

    /// Shows a line once: a trial failed, a signal arrived.
    virtual void say(const std::string& line) = 0;

    /// The period at which the view wants update() even if nothing happens.
    virtual std::chrono::milliseconds period() const = 0;
};

/// What the views know about the sweep besides its history.
struct ViewSettings {
    std::string name;
    std::optional<double> time_budget;  ///< the sweep's time budget in seconds
};

/// One screen on a terminal, redrawn in place a few times a second.
class TerminalView final : public LiveView {
  public:
    TerminalView(std::FILE* terminal, ViewSettings settings);
    ~TerminalView() override;  // leaves the last picture and shows the cursor again

    void update(const History& history, double now) override;
    void change_time_budget(std::optional<double> seconds) override { settings_.time_budget = seconds; }
    void say(const std::string& line) override;
    std::chrono::milliseconds period() const override { return std::chrono::milliseconds(250); }

  private:
    void draw(const std::vector<std::string>& lines);

    std::FILE* terminal_;
    LiveOutput output_;
    ViewSettings settings_;
    std::deque<std::string> said_;
    std::size_t lines_drawn_ = 0;
    double drawn_at_ = 0;
};

/// Plain lines for a log file. It writes lines of say() at once, and progress at most every ten seconds.
class LogView final : public LiveView {
  public:
    LogView(std::FILE* log, ViewSettings settings) : output_(log), settings_(std::move(settings)) {}

    void update(const History& history, double now) override;
    void change_time_budget(std::optional<double> seconds) override { settings_.time_budget = seconds; }
    void say(const std::string& line) override;
    std::chrono::milliseconds period() const override { return std::chrono::milliseconds(1000); }

  private:
    LiveOutput output_;
    ViewSettings settings_;
    double written_at_ = 0;
    bool has_ended_ = false;  ///< whether the last line written reports the end of the sweep
};

/// Space for a picture on a terminal.
struct Room {
    std::size_t columns;
    std::size_t rows = 1000;  ///< default: a terminal that scrolls
};

/// The picture of a sweep on a terminal. If it does not fit, its end is left out, and slots that are not shown are
/// counted.
std::vector<std::string> screen_of(const History& history, const ViewSettings& settings, double now, Room room);

/// A text cut to `columns` columns, at least one; a cut text ends with …. Control characters are escaped, as
/// printable() does.
std::string clipped(const std::string& text, std::size_t columns);

/// The state of a sweep on one line, as LogView writes it.
std::string line_of(const History& history, const ViewSettings& settings, double now);

}  // namespace crescendo::launch
