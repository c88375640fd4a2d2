#pragma once

#include <chrono>
#include <cstdio>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/record/history.hpp"

namespace crescendo::launch {

/// What a person sees while a sweep runs.
class LiveView {
  public:
    virtual ~LiveView() = default;

    /// Called after every turn; shows as much as its medium bears. `now` is in seconds since the epoch.
    virtual void update(const History& history, double now) = 0;

    /// Something to say once: a trial failed, a signal arrived.
    virtual void say(const std::string& line) = 0;

    /// How often it wants to be updated even if nothing happens.
    virtual std::chrono::milliseconds period() const = 0;
};

/// What the views are told about the sweep beside its history.
struct ViewSettings {
    std::string name;
    std::optional<double> time_budget;  ///< seconds
};

/// One screen on a terminal, redrawn in place a few times a second.
class TerminalView final : public LiveView {
  public:
    TerminalView(std::FILE* terminal, ViewSettings settings);
    ~TerminalView() override;  // leaves the last picture and gives the cursor back

    void update(const History& history, double now) override;
    void say(const std::string& line) override;
    std::chrono::milliseconds period() const override { return std::chrono::milliseconds(250); }

  private:
    void draw(const std::vector<std::string>& lines);

    std::FILE* terminal_;
    ViewSettings settings_;
    std::deque<std::string> said_;
    std::size_t lines_drawn_ = 0;
    double drawn_at_ = 0;
};

/// Plain lines for a log file: what is said at once, progress at most every ten seconds.
class LogView final : public LiveView {
  public:
    LogView(std::FILE* log, ViewSettings settings) : log_(log), settings_(std::move(settings)) {}

    void update(const History& history, double now) override;
    void say(const std::string& line) override;
    std::chrono::milliseconds period() const override { return std::chrono::milliseconds(1000); }

  private:
    std::FILE* log_;
    ViewSettings settings_;
    double written_at_ = 0;
};

/// The screen as lines of at most `width` columns.
std::vector<std::string> screen_of(const History& history, const ViewSettings& settings, double now, std::size_t width);

/// The sweep on one line.
std::string line_of(const History& history, const ViewSettings& settings, double now);

}  // namespace crescendo::launch
