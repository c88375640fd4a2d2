#include "launch/process/stop_signals.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <ctime>
#include <initializer_list>

#include "launch/system/terminal.hpp"

namespace crescendo::launch {
namespace {

constexpr int resumable = 75;
constexpr std::int64_t one_press = 500;  // milliseconds

// A signal handler can use only static variables.
volatile std::sig_atomic_t arrived = 0;
std::atomic<std::int64_t> interrupted_at = 0;  ///< when the first SIGINT arrived, in milliseconds
std::string& last_line = *new std::string;     ///< changes only while no handler can run, and is never destroyed

std::int64_t milliseconds() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void write_out(std::string_view text) {
    [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, text.data(), text.size());
}

void arrive(int signal) {
    if (signal == SIGINT) {
        const auto now = milliseconds();
        if (arrived == SIGINT && now - interrupted_at < one_press) {
            return;
        }
        if (arrived == SIGINT) {
            if (::isatty(STDOUT_FILENO)) {
                write_out(show_cursor);
                write_out("\n");  // after ^C
            }
            write_out(last_line);
            ::_exit(resumable);  // the workers die with us
        }
        interrupted_at = now;
    }
    arrived = signal;
}

}  // namespace

StopSignals::StopSignals(const std::string& farewell) {
    sigset_t watched;
    ::sigemptyset(&watched);
    ::sigaddset(&watched, SIGINT);
    sigset_t others;
    ::sigprocmask(SIG_BLOCK, &watched, &others);
    last_line = farewell.empty() ? "" : farewell + '\n';
    ::sigprocmask(SIG_SETMASK, &others, nullptr);
    arrived = 0;
    struct sigaction action {};
    action.sa_handler = arrive;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR2}) {
        struct sigaction before {};
        ::sigaction(signal, nullptr, &before);
        if (signal == SIGHUP && before.sa_handler == SIG_IGN) {
            continue;  // under nohup, the process must survive its terminal
        }
        ::sigaddset(&watched, signal);
        ::sigaction(signal, &action, nullptr);
    }
    ::sigprocmask(SIG_BLOCK, &watched, &before_);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

StopSignals::~StopSignals() {
    last_line.clear();  // its message no longer applies; a second SIGINT still ends the process
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

const char* StopSignals::requested() const {
    sigset_t none;  // under constant messages, the agent's wait ends before it unblocks a signal
    sigset_t blocked;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, &blocked);
    ::sigprocmask(SIG_SETMASK, &blocked, nullptr);
    switch (arrived) {
        case SIGINT:
            return ctrl_c.data();
        case SIGTERM:
            return "SIGTERM";
        case SIGHUP:
            return "terminal closed (SIGHUP)";
        case SIGUSR2:
            return "SIGUSR2";
        default:
            return nullptr;
    }
}

}  // namespace crescendo::launch
