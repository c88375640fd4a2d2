#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/files/file_descriptor.hpp"

namespace crescendo::launch {

/// Whether this variable would make a program take itself for a part of our MPI job, and end the job when it fails.
bool is_of_launcher(std::string_view variable);

struct ProcessOptions {
    std::vector<std::string> command;                              ///< searched in PATH
    std::vector<std::pair<std::string, std::string>> environment;  ///< set on top of our own
    std::function<bool(std::string_view variable)> hides = {};     ///< selects our variables that it must not see
    std::string directory;                                         ///< working directory; ours if empty
    std::string log;             ///< stdout and stderr are appended here; ours if empty
    bool holds_log = false;      ///< whether it holds the log, see is_held()
    int death_signal = SIGKILL;  ///< signal that it gets when we die
    bool has_socket = true;      ///< whether it gets a socket to us, with the descriptor in CRESCENDO_FD
    std::vector<int> cpus;       ///< CPUs on which it may run, if the system allows it; empty: ours
};

/// The command is longer than the system allows: see execve(2). Another command may be shorter.
class CommandTooLong : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// How a process ended.
struct ExitStatus {
    int code = 0;    ///< exit status, or 128 + signal as in shells
    int signal = 0;  ///< 0 unless a signal ended it

    bool success() const { return code == 0; }
};

/// Text for messages: "exit status 3", "killed by signal 9 (Killed)".
std::string to_string(const ExitStatus& status);

/// The system refuses another process, perhaps only for now. `error` is the errno of fork().
std::system_error process_refusal(int error);

/// Time for a killed process to end. It normally ends at once, unless a hanging device or file system blocks it; after
/// this time we no longer wait for it.
inline constexpr std::chrono::seconds time_to_die{10};

/// Waits for a child to end. Returns nothing if it still runs after `patience`.
std::optional<ExitStatus> wait_for_end(pid_t pid, std::chrono::seconds patience);

/// Whether a process that holds this log still runs, or a descendant of it that writes to the log. Includes other hosts
/// if the file system supports locks. A log that does not exist, or cannot be locked, is not held.
bool is_held(const std::string& log);

/// A child in its own process group. It is connected by a stream socket at its descriptor `protocol_fd`, unless the
/// options disable that. It inherits no other descriptor of ours. Killed when this object is destroyed or when we die.
class ChildProcess {
  public:
    static constexpr int protocol_fd = 3;

    /// Throws std::runtime_error if the program cannot be executed (missing, not executable), CommandTooLong if its
    /// arguments are too long for any program, and std::system_error if the disk or the system refuses for now.
    explicit ChildProcess(const ProcessOptions& options);
    ~ChildProcess();
    ChildProcess(ChildProcess&&) = delete;
    ChildProcess& operator=(ChildProcess&&) = delete;

    pid_t pid() const { return pid_; }

    /// Our end of the socket, non-blocking.
    const FileDescriptor& socket() const { return socket_; }

    /// Readable once the process has ended.
    const FileDescriptor& exit_descriptor() const { return pid_fd_; }

    /// The process's exit status, if it has ended. Never waits.
    std::optional<ExitStatus> try_wait();

    /// Signals the whole process group. Does nothing once the process was waited for.
    void signal_group(int signal) const;

    /// Signals only the process itself.
    void signal(int signal) const;

  private:
    pid_t pid_ = -1;
    FileDescriptor socket_;
    FileDescriptor pid_fd_;
    std::optional<ExitStatus> status_;
};

}  // namespace crescendo::launch
