#include "datasets/system/own_process.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <system_error>

#include "core/check.hpp"

namespace crescendo::datasets {
namespace {

/// The child's notes to its parent, in memory that both share: a crashed process cannot send a message.
struct Note {
    std::array<char, 4096> reading;
    std::array<char, 4096> calling;
    std::array<char, 4096> left;
    /// The signal that the parent has passed on and the child has not yet obeyed. The signal's arrival is not enough:
    /// the system merges it with one that comes from elsewhere at the same time.
    std::atomic<int> passed_on;
};

// Static, because a signal handler can reach nothing else. Null outside a child of in_own_process().
Note* own_note = nullptr;

constexpr std::initializer_list<int> passed_on{SIGINT, SIGTERM, SIGHUP};

void copy(std::string_view text, std::array<char, 4096>& out) { out[text.copy(out.data(), out.size() - 1)] = '\0'; }

std::unique_ptr<Note, void (*)(Note*)> make_note(const std::string& reading) {
    void* memory = ::mmap(nullptr, sizeof(Note), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::system_error(errno, std::generic_category(), "mmap");
    }
    auto* note = new (memory) Note{};
    copy(reading, note->reading);
    return {note, [](Note* mapped) { ::munmap(mapped, sizeof(Note)); }};
}

/// While this object lives, SIGCHLD and the signals to pass on are blocked, and received by sigwaitinfo.
class BlockedSignals {
  public:
    BlockedSignals() {
        std::signal(SIGCHLD, SIG_DFL);  // if SIGCHLD is ignored, a child leaves no status
        ::sigemptyset(&set_);
        ::sigaddset(&set_, SIGCHLD);
        for (const int signal : passed_on) {
            struct sigaction action {};
            ::sigaction(signal, nullptr, &action);
            if (action.sa_handler != SIG_IGN) {  // ignored: set by nohup, and by shells for background jobs
                ::sigaddset(&set_, signal);
            }
        }
        ::pthread_sigmask(SIG_BLOCK, &set_, &before_);
    }
    ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;

    int wait() const { return ::sigwaitinfo(&set_, nullptr); }
    bool has(int signal) const { return ::sigismember(&set_, signal) == 1; }

  private:
    sigset_t set_{};
    sigset_t before_{};
};

void end_by(int signal) {
    if (is_meant_for_us(signal)) {
        std::signal(signal, SIG_DFL);
        std::raise(signal);  // delivered when this handler returns
    }
}

/// Prepares the child before its work.
void become_own(Note* note, pid_t parent, const BlockedSignals& signals) {
    own_note = note;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) {  // the parent has died already
        ::_exit(1);
    }
    struct sigaction action {};
    action.sa_handler = end_by;
    action.sa_flags = SA_RESTART;
    for (const int signal : passed_on) {
        if (signals.has(signal)) {
            ::sigaction(signal, &action, nullptr);
        }
    }
}

/// Passes signals on until the child ends. Returns the child's status.
int status_of(pid_t child, Note& note, const BlockedSignals& signals) {
    for (int status = 0;;) {
        const int signal = signals.wait();
        if (signal == SIGCHLD && ::waitpid(child, &status, WNOHANG) == child) {
            return status;
        }
        if (signal > 0 && signal != SIGCHLD) {
            note.passed_on = signal;
            ::kill(child, signal);
        }
    }
}

}  // namespace

bool Ending::crashed() const {
    constexpr std::array crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};
    return std::find(crashes.begin(), crashes.end(), signal) != crashes.end();
}

std::string Ending::message() const {
    if (signal == 0) {
        return text("{} called exit({})", calling, code);
    }
    if (crashed() && !calling.empty()) {
        return text("{} crashed ({})", calling, ::strsignal(signal));
    }
    if (crashed()) {
        return text(
            "the HDF5 library crashed while reading {} ({}): the file is damaged; replace it with an intact copy",
            reading, ::strsignal(signal));
    }
    return text("reading {} failed: its process was killed ({}), by the system when memory ran out or by someone",
                reading, ::strsignal(signal));
}

Ending in_own_process(const std::string& reading, const std::function<int()>& work) {
    const auto note = make_note(reading);
    std::fflush(nullptr);  // otherwise both processes would print the buffered output
    const pid_t parent = ::getpid();
    pid_t child = -1;
    int status = 0;
    {
        std::optional<BlockedSignals> signals(std::in_place);
        child = ::fork();
        if (child < 0) {
            throw std::system_error(errno, std::generic_category(), "fork");
        }
        if (child == 0) {
            become_own(note.get(), parent, *signals);
            signals.reset();
            const int code = work();
            std::fflush(nullptr);
            ::_exit(code);
        }
        status = status_of(child, *note, *signals);
    }
    if (WIFSIGNALED(status) && note->left[0] != '\0') {
        ::unlink(note->left.data());
    }
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
            note->reading.data(), note->calling.data()};
}

void now_reading(std::string_view files) {
    if (own_note != nullptr) {
        copy(files, own_note->reading);
    }
}

bool now_calling(std::string_view code) {
    if (own_note == nullptr) {
        return false;
    }
    copy(code, own_note->calling);
    return true;
}

void remove_after_crash(std::string_view path) {
    if (own_note != nullptr) {
        copy(path, own_note->left);
    }
}

bool is_meant_for_us(int signal) {
    return own_note == nullptr || own_note->passed_on.compare_exchange_strong(signal, 0);
}

}  // namespace crescendo::datasets
