#include <fmt/format.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "core/files/host_name.hpp"
#include "core/number_from.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/options.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/directory/standing.hpp"
#include "launch/directory/sweep_lock.hpp"
#include "launch/display/printable.hpp"
#include "launch/process/stop_signals.hpp"
#include "launch/report/report_page.hpp"
#include "launch/report/sweep_data.hpp"
#include "launch/report/sweep_plot.hpp"
#include "launch/system/clock.hpp"
#include "launch/system/terminal.hpp"
#include "launch/view/live_view.hpp"
#include "launch/web/page_server.hpp"

namespace crescendo::launch {
namespace {

struct TopOptions {
    std::filesystem::path directory;
    bool plot = false;
    CLI::Option* web = nullptr;  // --web, whose port is optional
    std::uint16_t port = 0;
    std::string host = "127.0.0.1";
};

/// The terminal's alternate screen, where keys arrive as they are pressed. The destructor restores the first screen as
/// it was.
class SecondScreen {
  public:
    SecondScreen() {
        ::tcgetattr(STDIN_FILENO, &before_);
        auto keys = before_;
        keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);  // Ctrl-C arrives as a key too
        ::tcsetattr(STDIN_FILENO, TCSANOW, &keys);
        fmt::print("\x1b[?1049h{}", hide_cursor);
    }
    ~SecondScreen() {
        std::fputs("\x1b[?1049l", stdout);
        std::fputs(show_cursor.data(), stdout);
        std::fflush(stdout);
        ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    }
    SecondScreen(SecondScreen&&) = delete;
    SecondScreen& operator=(SecondScreen&&) = delete;

    /// Number of rows of a picture; the cursor is in the row below it.
    static std::size_t rows() { return terminal_rows(stdout, 24) - 1; }

    static void show(const std::vector<std::string>& lines) {
        std::string picture = "\x1b[H";
        for (std::size_t i = 0; i < lines.size() && i < rows(); ++i) {
            picture += lines[i] + "\x1b[K\r\n";
        }
        std::fputs((picture + "\x1b[J").c_str(), stdout);
        std::fflush(stdout);
    }

    /// Waits up to `time`. Returns whether q, Ctrl-C or the end of the input arrived.
    static bool left(std::chrono::milliseconds time) {
        pollfd input{STDIN_FILENO, POLLIN, 0};
        return ::poll(&input, 1, static_cast<int>(time.count())) > 0 && says_leave();
    }

    /// Whether the key that has arrived is q, Ctrl-C or the end of the input.
    static bool says_leave() {
        char key = 0;
        return ::read(STDIN_FILENO, &key, 1) <= 0 || key == 'q' || key == 3;
    }

  private:
    termios before_{};
};

/// Last words of the trials that failed most recently.
std::vector<std::string> failures(const History& history, std::size_t width) {
    constexpr std::size_t most = 4;
    std::vector<std::string> lines;
    const auto& trials = history.sweep().trials();
    for (auto trial = trials.rbegin(); trial != trials.rend() && lines.size() < most; ++trial) {
        if (const auto& words = history.of(trial->id).last_failure; !words.empty()) {
            const bool is_over = trial->status == TrialStatus::failed;
            const auto now = is_over ? "" : fmt::format(", now {},", to_string(trial->status));
            const auto line = fmt::format("trial {}{} failed: {}", trial->id.value, now, in_one_line(words));
            lines.push_back(clipped(line, width));
        }
    }
    return lines;
}

/// The charts of a sweep. The history must have all reports.
std::vector<std::string> charts(const History& history, std::size_t width) {
    auto lines = sweep_plot(history, width);
    for (auto& line : lines) {
        line = clipped(line, width);  // a wrapped line would push the head out of the picture
    }
    return lines;
}

/// A picture, and how long to show it. A large sweep takes long to read, so its picture stays longer.
struct Picture {
    std::vector<std::string> lines;
    std::chrono::milliseconds time;
};

/// The picture of a sweep, with the most important lines first. The list of slots gets the remaining rows.
Picture picture_of(const TopOptions& options, Room room, JobWatch& job) {
    constexpr std::size_t least = 5;  // rows for the head, which is always shown
    const auto begin = std::chrono::steady_clock::now();
    const RecordedSweep sweep(options.directory, options.plot ? Reports::curves : Reports::last, &job);
    const char* state = standings.of(standing_of(sweep, &job));
    const double now = sweep.history.last_time();
    std::vector<std::string> drawn;
    if (options.plot) {
        drawn = charts(sweep.history, terminal_columns(stdout, 100));
        drawn.insert(drawn.begin(), "");
    }
    auto words = failures(sweep.history, room.columns);
    if (!words.empty()) {
        words.insert(words.begin(), "");
    }
    room.rows = std::max(least, room.rows - std::min(room.rows, drawn.size() + words.size()));
    auto lines = screen_of(
        sweep.history, {fmt::format("{} ({})", sweep.file.name, state), sweep.file.time_budget_seconds()}, now, room);
    lines.insert(std::ranges::find(lines, ""), drawn.begin(), drawn.end());
    lines.insert(lines.end(), words.begin(), words.end());
    return {std::move(lines), pause_after(begin)};
}

/// The sweep's page, updated when its journal has grown, its coordinator has started or ended, or the state of its
/// batch job has changed.
class LivePage {
  public:
    LivePage(const std::filesystem::path& directory, PageServer& server, JobWatch& job)
        : directory_(SweepDirectory::open(directory)), server_(server), job_(job) {
        refresh();
    }

    /// Reads the sweep if it is time to.
    void refresh() {
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) {
            return;
        }
        State state{std::filesystem::file_size(directory_.journal()), SweepLock::holder(directory_, &job_), {}};
        if (!state.holder && !is_over_) {
            state.job = state_of_job(directory_, &job_);
        }
        if (state != shown_) {
            const auto data = sweep_data(directory_.path(), {}, &job_);
            server_.show(report_page({data}, nullptr, PageKind::served));
            is_over_ = data.at("state") == standings.of(Standing::finished);
            shown_ = std::move(state);
        }
        next_ = std::chrono::steady_clock::now() + pause_after(now);
    }

  private:
    struct State {
        std::uintmax_t journal_size;
        std::optional<std::string> holder;
        std::optional<JobState> job;

        friend bool operator==(const State&, const State&) = default;
    };

    SweepDirectory directory_;
    PageServer& server_;
    JobWatch& job_;
    std::optional<State> shown_;
    bool is_over_ = false;  ///< then its job no longer matters
    std::chrono::steady_clock::time_point next_;
};

/// The page's address, and how to reach it from another machine.
std::vector<std::string> directions(const PageServer& server, const std::string& address) {
    const bool is_everywhere = address == "0.0.0.0";
    return {server.address(), fmt::format("to open it from your own machine, first run: ssh -N -L {0}:{1}:{0} {2}",
                                          server.port(), is_everywhere ? "127.0.0.1" : address, host_name())};
}

ExitCode serve(const TopOptions& options) {
    PageServer server(options.host, options.port);
    JobWatch job;
    LivePage page(options.directory, server, job);
    const auto lines = directions(server, options.host);
    const StopSignals signals;
    if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0) {
        fmt::print("{}\n{}\n", lines[0], lines[1]);
        std::fflush(stdout);
        while (signals.requested() == nullptr) {
            server.serve(std::chrono::milliseconds(200));
            page.refresh();
        }
        return ExitCode::done;
    }
    const SecondScreen screen;
    std::chrono::milliseconds time{};
    do {
        page.refresh();
        const auto rows = SecondScreen::rows();
        const Room room{terminal_columns(stdout, 100), rows - std::min(rows, lines.size() + 1)};
        auto picture = picture_of(options, room, job);
        picture.lines.insert(picture.lines.begin(), {lines[0], lines[1], ""});
        SecondScreen::show(picture.lines);
        time = picture.time;
    } while ((!server.serve(time, STDIN_FILENO) || !SecondScreen::says_leave()) && signals.requested() == nullptr);
    return ExitCode::done;
}

/// What is wrong with a port, as a CLI::Validator reports it; empty if nothing is.
std::string is_port(const std::string& text) {
    return number_from<std::uint16_t>(text) ? "" : fmt::format("'{}' is not a port (0 to 65535)", text);
}

ExitCode top(const TopOptions& options) {
    if (options.web->count() > 0) {
        return serve(options);
    }
    JobWatch job;
    const auto picture = [&](Room room) { return picture_of(options, room, job); };
    if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0) {
        for (const auto& line : picture({terminal_columns(stdout, std::string::npos)}).lines) {  // not cut in a file
            fmt::print("{}\n", line);
        }
        return ExitCode::done;
    }
    const auto on_screen = [&] { return picture({terminal_columns(stdout, 100), SecondScreen::rows()}); };
    auto shown = on_screen();
    const StopSignals signals;  // restores the terminal, however this ends
    const SecondScreen screen;
    SecondScreen::show(shown.lines);
    while (!SecondScreen::left(shown.time) && signals.requested() == nullptr) {
        shown = on_screen();
        SecondScreen::show(shown.lines);
    }
    return ExitCode::done;
}

}  // namespace

void add_top_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<TopOptions>();
    auto* command = app.add_subcommand("top", "Watch a sweep: progress, rungs, slots, the best trial, failures");
    add_directory_argument(*command, options->directory);
    command->add_flag("--plot", options->plot, "Also the best value so far and the learning curves, as charts");
    options->web =
        command
            ->add_option("--web", options->port,
                         "Also serve the page of `crescendo report`, live, to browsers, on this port or any free one")
            ->expected(0, 1)
            ->type_name("[PORT]")
            ->check(is_port);
    command
        ->add_option("--host", options->host,
                     "Address where --web listens; any but 127.0.0.1 lets other machines in, without encryption")
        ->needs(options->web)
        ->capture_default_str();
    command->footer(
        "Press q or Ctrl-C to leave; the sweep continues. Example:\n"
        "  crescendo top results/first\n"
        "  crescendo top results/first --plot\n"
        "  crescendo top results/first --web 8642");
    command->callback([options, &code] { code = top(*options); });
}

}  // namespace crescendo::launch
