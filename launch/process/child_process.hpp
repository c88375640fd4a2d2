#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/files/file_descriptor.hpp"

namespace crescendo::launch {

/// Whether a program would take itself for a part of our MPI job by this variable, and end the job when it fails.
bool is_of_launcher(std::string_view variable);

struct ProcessOptions {
    std::vector<std::string> command;                              ///< found along PATH
    std::vector<std::pair<std::string, std::string>> environment;  ///< set on top of our own
    std::function<bool(std::string_view variable)> hides = {};     ///< chooses variables of ours that it does not see
    std::string directory;                                         ///< working directory; ours if empty
    std::string log;             ///< stdout and stderr are appended here; ours if empty
    bool holds_log = false;      ///< whether it holds the log, see is_held()
    int death_signal = SIGKILL;  ///< what it gets when we die
    bool has_socket = true;      ///< whether it finds a socket to us, and its descriptor in CRESCENDO_FD
    std::vector<int> cpus;       ///< it runs on these CPUs alone, as far as the system lets it; none: on ours
};

/// The system takes no command of that length: see execve(2). Another command may be shorter.
class CommandTooLong : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// How a process ended.
struct ExitStatus {
    int code = 0;    ///< exit status, or 128 + signal as shells count
    int signal = 0;  ///< 0 unless a signal ended it

    bool success() const { return code == 0; }
};

/// "exit status 3", "killed by signal 9 (Killed)"
std::string to_string(const ExitStatus& status);

/// A killed process ends at once, unless a device or a file system that hangs keeps it: after so long it is left
/// behind.
inline constexpr std::chrono::seconds time_to_die{10};

/// Waits for the end of a child; nothing if it still runs after that time.
std::optional<ExitStatus> wait_for_end(pid_t pid, std::chrono::seconds patience);

/// Whether a process that holds this log still runs, or one that it has started and that writes there: on this host,
/// and on others where the file system has locks. What does not exist, or knows no locks, is not held.
bool is_held(const std::string& log);

/// A child in a process group of its own, connected by a stream socket that it finds at descriptor `protocol_fd`,
/// unless it has none. Inherits no other descriptor of ours. Killed when it is destroyed or when we die.
class ChildProcess {
  public:
    static constexpr int protocol_fd = 3;

    /// Throws std::runtime_error when the program cannot be executed (missing, not executable), and CommandTooLong when
    /// no program could be with these arguments.
    explicit ChildProcess(const ProcessOptions& options);
    ~ChildProcess();
    ChildProcess(ChildProcess&&) = delete;
    ChildProcess& operator=(ChildProcess&&) = delete;

    pid_t pid() const { return pid_; }

    /// Our end of the socket, non-blocking.
    const FileDescriptor& socket() const { return socket_; }

    /// Readable once the process has ended.
    const FileDescriptor& exit_descriptor() const { return pid_fd_; }

    /// Its status, if it has ended. Never waits.
    std::optional<ExitStatus> try_wait();

    /// To the whole process group. Nothing happens once the process was waited for.
    void signal_group(int signal) const;

    /// To the process alone.
    void signal(int signal) const;

  private:
    pid_t pid_ = -1;
    FileDescriptor socket_;
    FileDescriptor pid_fd_;
    std::optional<ExitStatus> status_;
};

}  // namespace crescendo::launch
