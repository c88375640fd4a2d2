/// crescendo-guard GRACE PROGRAM [ARG…]: runs a program and makes sure that nothing it started outlives it or the
/// guard's parent.
///
/// A user's program may start processes in their own sessions. The guard adopts them when their parents end
/// (PR_SET_CHILD_SUBREAPER), so it can find and kill them all. It passes SIGTERM on, and kills what is left after GRACE
/// milliseconds. On SIGQUIT it kills everything at once. The guard's parent chooses which of the two signals the guard
/// gets when the parent dies.
/// Exit status: the program's, or 128 + signal.
///
/// Some processes remove what others leave in shared memory after these have ended. If they were killed together,
/// shared memory would leak. So they are killed last, and get a moment to clean up.

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "launch/process/child_process.hpp"
#include "launch/process/guard.hpp"

using crescendo::launch::ChildProcess;

namespace {

using Clock = std::chrono::steady_clock;

/// Whether the process cleans up after others: Python's multiprocessing and joblib have a resource_tracker, torch its
/// shared memory manager.
bool cleans_up(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/cmdline");
    const std::string words(std::istreambuf_iterator<char>(file), {});
    return words.find("resource_tracker") != words.npos || words.find("torch_shm_manager") != words.npos;
}

/// Kills every descendant. Killing a process makes its children ours, so this takes as many rounds as the tree is deep.
void kill_descendants() {
    constexpr std::chrono::seconds time_to_clean_up{3};
    constexpr timespec turn{0, 10'000'000};
    const std::string children = "/proc/self/task/" + std::to_string(::getpid()) + "/children";
    const auto deadline = Clock::now() + time_to_clean_up;
    for (;;) {
        const bool is_late = Clock::now() >= deadline;
        bool has_killed = false;
        std::ifstream list(children);
        pid_t child = 0;
        while (list >> child) {
            if (is_late || !cleans_up(child)) {
                ::kill(child, SIGKILL);
                has_killed = true;
            }
        }
        const pid_t ended = ::waitpid(-1, nullptr, has_killed ? 0 : WNOHANG);
        if (ended < 0 && errno == ECHILD) {
            return;
        }
        if (ended == 0) {
            ::nanosleep(&turn, nullptr);
        }
    }
}

int exit_code(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

/// Waits for the program, and reaps adopted children that end meanwhile. Returns nothing if the program must be killed.
std::optional<int> wait_for(pid_t program, const sigset_t& watched, std::chrono::milliseconds grace) {
    std::optional<Clock::time_point> deadline;  // set once the program was told to leave
    for (;;) {
        int status = 0;
        pid_t ended = 0;
        while ((ended = ::waitpid(-1, &status, WNOHANG)) > 0) {
            if (ended == program) {
                return exit_code(status);
            }
        }
        if (deadline && Clock::now() >= *deadline) {
            return std::nullopt;
        }
        // Both signals are blocked outside this wait, so none is lost between the check and the wait.
        const timespec turn{deadline ? 0 : 3600, deadline ? 50'000'000 : 0};
        siginfo_t info;
        const int signal = ::sigtimedwait(&watched, &info, &turn);
        if (signal == SIGQUIT) {
            return std::nullopt;
        }
        if (signal == SIGTERM && !deadline) {
            ::kill(-program, SIGTERM);
            deadline = Clock::now() + grace;
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fputs("usage: crescendo-guard GRACE PROGRAM [ARG…]\n", stderr);
        return 2;
    }
    sigset_t watched;
    sigset_t before;
    ::sigemptyset(&watched);
    ::sigaddset(&watched, SIGTERM);
    ::sigaddset(&watched, SIGQUIT);
    ::sigaddset(&watched, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &watched, &before);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);

    const pid_t guard = ::getpid();
    const pid_t program = ::fork();
    if (program == 0) {
        ::setpgid(0, 0);
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != guard) {
            ::_exit(127);
        }
        ::sigprocmask(SIG_SETMASK, &before, nullptr);
        ::execvp(argv[2], argv + 2);
        std::fprintf(stderr, "crescendo: cannot execute '%s': %s\n", argv[2], std::strerror(errno));
        ::_exit(127);
    }
    if (program < 0) {
        const int error = errno;
        ::dprintf(ChildProcess::protocol_fd, "%s%d\n", crescendo::launch::no_process.data(), error);
        std::fprintf(stderr, "crescendo: cannot start a process: %s\n", std::strerror(error));
        return 1;
    }
    ::setpgid(program, program);
    ::close(ChildProcess::protocol_fd);  // only for the program: the other side must see it close when the program ends

    const auto code = wait_for(program, watched, std::chrono::milliseconds(std::atol(argv[1])));
    kill_descendants();
    return code.value_or(128 + SIGKILL);
}
