#pragma once

#include <csignal>
#include <functional>
#include <string>
#include <string_view>

namespace crescendo::datasets {

/// How a child process of in_own_process() ended.
struct Ending {
    int code = 0;         ///< exit status, if no signal ended it
    int signal = 0;       ///< the signal that ended it; else 0
    std::string reading;  ///< the file or files that it read last
    std::string calling;  ///< the third-party code that it was running; empty if none

    /// Whether the work did not return: a signal or third-party code ended the process.
    bool is_early() const { return signal != 0 || !calling.empty(); }
    /// Whether the program itself, or a library in it, caused the signal.
    bool crashed() const;
    /// For a process that ended early: what happened, with which file, and what that means.
    std::string message() const;
};

/// Runs `work` in a child process and waits for it. HDF5's library crashes on some damaged files: then only the child
/// ends, and this process can name the file.
/// Call it before this process has threads. `work` must not throw. Its output goes to this process's streams. `reading`
/// is the file that it reads first. If it crashes, the file that it was writing under a temporary name is removed.
/// This process passes SIGINT, SIGTERM and SIGHUP on to the child, and the child obeys only signals that were passed
/// on. A terminal, a batch system and `kill` each signal one or both of the two processes; this way each signal counts
/// once. If this process is killed, so is the child.
Ending in_own_process(const std::string& reading, const std::function<int()>& work);

/// In a child of in_own_process(), notes that it now reads `files`. No effect elsewhere.
void now_reading(std::string_view files);

/// In a child of in_own_process(), notes that third-party `code` runs now; empty when it has returned. Elsewhere it has
/// no effect and returns false.
bool now_calling(std::string_view code);

/// In a child of in_own_process(), notes that `path` must be removed if it crashes; empty: nothing.
void remove_after_crash(std::string_view path);

/// Whether a handler should obey a signal: in a child of in_own_process(), only if it was passed on; elsewhere always.
bool is_meant_for_us(int signal);

}  // namespace crescendo::datasets
