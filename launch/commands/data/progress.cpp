#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

#include "datasets/system/own_process.hpp"
#include "launch/commands/data/commands.hpp"

namespace crescendo::launch {
namespace {

// A handler can reach nothing but a static.
std::atomic<int> arrived = 0;

class Interrupted : public std::exception {};

/// One line that is written over, and erased at the end; nothing where it would land in a file.
class ProgressBar {
  public:
    explicit ProgressBar(std::string unit) : unit_(std::move(unit)) {}

    void show(std::int64_t done, std::int64_t total) {
        const auto percent = static_cast<int>(100.0 * static_cast<double>(done) / static_cast<double>(total));
        if (!shown_ || percent == percent_) {
            return;
        }
        percent_ = percent;
        const auto filled = static_cast<std::size_t>(percent) * width / 100;
        const auto line = fmt::format("\r[{:<{}}] {:3} % of {} {}{}", std::string(filled, '#'), width, percent, total,
                                      unit_, done == total ? "\r\x1b[K" : "");
        std::fputs(line.c_str(), stderr);  // which does not throw where the terminal is gone
    }

  private:
    static constexpr std::size_t width = 40;
    std::string unit_;
    bool shown_ = ::isatty(STDERR_FILENO) != 0;
    int percent_ = -1;
};

}  // namespace

Progress progress_bar(const std::string& unit) {
    return [bar = ProgressBar(unit)](std::int64_t done, std::int64_t total) mutable { bar.show(done, total); };
}

void end_if_interrupted() {
    if (arrived != 0) {
        throw Interrupted();
    }
}

ExitCode interruptible(const std::function<ExitCode()>& work) try {
    struct sigaction action {};
    action.sa_handler = [](int signal) {
        if (!datasets::is_meant_for_us(signal)) {
            return;
        }
        if (arrived != 0) {  // the second one: raised once this handler is left
            std::signal(signal, SIG_DFL);
            std::raise(signal);
        }
        arrived = signal;
    };
    action.sa_flags = SA_RESTART;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before {};
        ::sigaction(signal, nullptr, &before);
        if (before.sa_handler != SIG_IGN) {  // as nohup wants it, and the shell for what runs in the background
            ::sigaction(signal, &action, nullptr);
        }
    }
    return work();
} catch (const Interrupted&) {
    std::fprintf(stderr, "%screscendo: interrupted; nothing was written\n", ::isatty(STDERR_FILENO) ? "\r\x1b[K" : "");
    std::signal(arrived, SIG_DFL);
    std::raise(arrived);
    return ExitCode::failed;
}

}  // namespace crescendo::launch
