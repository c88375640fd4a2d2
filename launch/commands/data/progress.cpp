#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>

#include "datasets/system/own_process.hpp"
#include "launch/commands/data/commands.hpp"

namespace crescendo::launch {
namespace {

// Static, because a signal handler can reach nothing else.
std::atomic<int> arrived = 0;

class Interrupted : public std::exception {};

}  // namespace

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
        if (arrived != 0) {  // the second signal: raised once this handler returns
            std::signal(signal, SIG_DFL);
            std::raise(signal);
        }
        arrived = signal;
    };
    action.sa_flags = SA_RESTART;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before {};
        ::sigaction(signal, nullptr, &before);
        if (before.sa_handler != SIG_IGN) {  // nohup ignores a signal, and so does the shell for background jobs
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
