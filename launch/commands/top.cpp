#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <memory>

#include "launch/commands/commands.hpp"
#include "launch/commands/options.hpp"
#include "launch/record/recorded_sweep.hpp"
#include "launch/system/terminal.hpp"
#include "launch/system/wall_clock.hpp"
#include "launch/view/live_view.hpp"

namespace crescendo::launch {
namespace {

/// The terminal's second screen, where keys arrive as they are pressed; the first is back afterwards, as it was.
class SecondScreen {
  public:
    SecondScreen() {
        ::tcgetattr(STDIN_FILENO, &before_);
        auto keys = before_;
        keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);  // Ctrl-C is a key as well
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

    static void show(const std::vector<std::string>& lines) {
        winsize size{};
        const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
        const std::size_t rows = known ? size.ws_row : 24;
        std::string picture = "\x1b[H";
        for (std::size_t i = 0; i < lines.size() && i + 1 < rows; ++i) {
            picture += lines[i] + "\x1b[K\r\n";
        }
        std::fputs((picture + "\x1b[J").c_str(), stdout);
        std::fflush(stdout);
    }

    /// Whether q, Ctrl-C or the end of the input arrived within a second.
    static bool left() {
        pollfd input{STDIN_FILENO, POLLIN, 0};
        char key = 0;
        return ::poll(&input, 1, 1000) > 0 && (::read(STDIN_FILENO, &key, 1) <= 0 || key == 'q' || key == 3);
    }

  private:
    termios before_{};
};

std::size_t columns() {
    winsize size{};
    return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 100;
}

/// The last words of the trials that failed last.
std::vector<std::string> failures(const History& history, std::size_t width) {
    constexpr std::size_t most = 4;
    std::vector<std::string> lines;
    const auto& trials = history.sweep().trials();
    for (auto trial = trials.rbegin(); trial != trials.rend() && lines.size() < most; ++trial) {
        if (const auto& words = history.of(trial->id).last_failure; !words.empty()) {
            const auto line = fmt::format("trial {} failed: {}", trial->id.value, words.substr(0, words.find('\n')));
            lines.push_back(line.substr(0, width));
        }
    }
    return lines;
}

std::vector<std::string> picture_of(const RecordedSweep& sweep) {
    const auto state = state_of(sweep);
    const auto width = columns();
    const double now = state == "running" ? wall_clock() : sweep.history.last_time();
    auto lines =
        screen_of(sweep.history, {fmt::format("{} ({})", sweep.file.name, state), sweep.time_budget()}, now, width);
    if (const auto words = failures(sweep.history, width); !words.empty()) {
        lines.emplace_back();
        lines.insert(lines.end(), words.begin(), words.end());
    }
    return lines;
}

ExitCode top(const std::filesystem::path& path) {
    const auto first = picture_of(RecordedSweep(path));
    if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0) {
        for (const auto& line : first) {
            fmt::print("{}\n", line);
        }
        return ExitCode::done;
    }
    const SecondScreen screen;
    SecondScreen::show(first);
    while (!SecondScreen::left()) {
        SecondScreen::show(picture_of(RecordedSweep(path)));
    }
    return ExitCode::done;
}

}  // namespace

void add_top_command(CLI::App& app, ExitCode& code) {
    auto directory = std::make_shared<std::filesystem::path>();
    auto* command = app.add_subcommand("top", "Watch a sweep: progress, rungs, slots, the best trial, failures");
    add_directory_argument(*command, *directory);
    command->footer(
        "Press q or Ctrl-C to leave; the sweep continues. Example:\n"
        "  crescendo top results/first");
    command->callback([directory, &code] { code = top(*directory); });
}

}  // namespace crescendo::launch
