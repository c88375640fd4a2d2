#pragma once

#include <csignal>
#include <functional>
#include <string>
#include <string_view>

namespace crescendo::datasets {

/// How a child process of in_own_process() ended.
struct Ending {
    int code = 0;         ///< its exit status, if it ended by itself
    int signal = 0;       ///< the signal that ended it; else 0
    std::string reading;  ///< the file, or files, that it read last
    std::string calling;  ///< the code of others that it ran last; empty if that had returned

    /// Whether the program itself, or a library in it, caused the signal.
    bool crashed() const;
    /// For a process that crashed or was killed: what happened, in which file, and what that means.
    std::string message() const;
};

/// Runs `work` in a child process and waits for it. HDF5's library crashes on some damaged files. Then only the child
/// ends, and this process can name the file.
///
/// Call it before there are threads. `work` must not throw. What it prints goes where this process prints. `reading` is
/// the file that it reads first. If it crashes, the file that it was writing under a temporary name is removed.
///
/// SIGINT, SIGTERM and SIGHUP that this process gets are passed on to the child, and the child obeys only these. A
/// terminal, a batch system and `kill` each send to one or both of the two, and this way each signal counts once. If
/// this process is killed, so is the child.
Ending in_own_process(const std::string& reading, const std::function<int()>& work);

/// Called in a child of in_own_process(): notes that `files` are read from now on. Has no effect elsewhere.
void now_reading(std::string_view files);

/// Called in a child of in_own_process(): notes that `code`, which is not ours, runs from now on; empty when it has
/// returned. Elsewhere this has no effect, and returns false.
bool now_calling(std::string_view code);

/// Called in a child of in_own_process(): if it crashes, `path` will be removed; empty for nothing.
void remove_after_crash(std::string_view path);

/// Whether a handler should obey a signal: in a child of in_own_process() if it was passed on, elsewhere always.
bool is_meant_for_us(int signal);

}  // namespace crescendo::datasets
