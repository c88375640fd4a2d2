#include "launch/system/stop_signals.hpp"

#include <unistd.h>

#include <initializer_list>

#include "launch/system/terminal.hpp"

namespace crescendo::launch {
namespace {

constexpr int resumable = 75;

// A handler can reach nothing but a static.
volatile std::sig_atomic_t arrived = 0;

void arrive(int signal) {
    if (arrived == SIGINT && signal == SIGINT) {
        if (::isatty(STDOUT_FILENO)) {
            [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, show_cursor.data(), show_cursor.size());
        }
        ::_exit(resumable);  // the workers die with us
    }
    arrived = signal;
}

}  // namespace

StopSignals::StopSignals() {
    arrived = 0;
    sigset_t watched;
    ::sigemptyset(&watched);
    struct sigaction action {};
    action.sa_handler = arrive;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR2}) {
        struct sigaction before {};
        ::sigaction(signal, nullptr, &before);
        if (signal == SIGHUP && before.sa_handler == SIG_IGN) {
            continue;  // nohup: it is to live on when the terminal is gone
        }
        ::sigaddset(&watched, signal);
        ::sigaction(signal, &action, nullptr);
    }
    ::sigprocmask(SIG_BLOCK, &watched, &before_);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

StopSignals::~StopSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

const char* StopSignals::requested() const {
    sigset_t none;  // where messages never cease, the agent's wait ends before any signal is let through
    sigset_t blocked;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, &blocked);
    ::sigprocmask(SIG_SETMASK, &blocked, nullptr);
    switch (arrived) {
        case SIGINT:
            return "Ctrl-C";
        case SIGTERM:
            return "SIGTERM";
        case SIGHUP:
            return "the end of its terminal (SIGHUP)";
        case SIGUSR2:
            return "SIGUSR2";
        default:
            return nullptr;
    }
}

}  // namespace crescendo::launch
