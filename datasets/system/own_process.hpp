#pragma once

#include <csignal>
#include <functional>
#include <string>
#include <string_view>

namespace crescendo::datasets {

/// How a process of its own ended.
struct Ending {
    int code = 0;         ///< its exit status, where it ended by itself
    int signal = 0;       ///< that ended it; else 0
    std::string reading;  ///< the file that it read last, or several

    /// Whether the program itself, or a library in it, gave rise to the signal.
    bool crashed() const;
    /// Where it crashed, or was killed: what happened, in which file, and what that means.
    std::string message() const;
};

/// Runs `work` in a child process and waits for it: HDF5's library crashes on some damaged files, and then the child
/// alone ends, and this process can say which file it was.
///
/// To be called before there are threads. `work` must not throw; what it prints goes where this process prints.
/// `reading` is the file that it reads first. What it was writing under a temporary name when it crashed is removed.
///
/// SIGINT, SIGTERM and SIGHUP that this process gets are passed on to the child, which heeds those alone: a terminal,
/// a batch system and `kill` each reach another choice of the two, and so each signal counts once. Where this process
/// is killed, so is the child.
Ending in_own_process(const std::string& reading, const std::function<int()>& work);

/// In a process of its own: `files` are read from now on. Without effect elsewhere.
void now_reading(std::string_view files);

/// In a process of its own: `path` is to be removed where this process crashes; empty for nothing.
void remove_after_crash(std::string_view path);

/// Whether a handler is to heed a signal: in a process of its own, where it was passed on; elsewhere always.
bool is_meant_for_us(const siginfo_t& info);

}  // namespace crescendo::datasets
