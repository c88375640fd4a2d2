#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "launch/messages/json.hpp"
#include "launch/record/sweep_directory.hpp"
#include "launch/system/file_descriptor.hpp"

namespace crescendo::launch {

/// Who holds a lock, as the file says it.
struct LockHolder {
    std::string host;
    int pid = 0;
    std::string boot;        ///< of the host's kernel; a pid means nothing to the next one
    std::int64_t start = 0;  ///< of the process, in ticks since that boot: pids are used again
    std::string job;         ///< of Slurm; empty: none
    std::string since;       ///< local time

    /// "process 7 on n1 since 2026-11-21 16:04:05 (job 17)"
    std::string text() const;
};

/// The right to write in a sweep's directory, held by at most one process; ends with it.
///
/// A lock (flock) on the file `lock`, which also says who holds it. Where file systems keep such locks on each node for
/// itself, what the file says decides: a holder on this host lives if its process does; one of our own Slurm job is a
/// former step of it, and over; one of another job lives as long as Slurm has the job; and of others the file's age
/// tells, by the clock of the file system, for its holder touches it every few seconds. The file stays when it is over,
/// empty where its holder left in good order.
class SweepLock {
  public:
    /// Throws InvalidInput that names the holder, since when, and the remedy.
    explicit SweepLock(const SweepDirectory& directory);

    /// Who held it and did not give it back, if it was not the first or its predecessor died.
    const std::optional<std::string>& abandoned_by() const { return abandoned_by_; }

    ~SweepLock();
    SweepLock(SweepLock&&) = delete;
    SweepLock& operator=(SweepLock&&) = delete;

    /// Gives a sign of life where one is due: call it a few times a second. Throws std::runtime_error where another
    /// process took the lock, because ours had stopped for so long that it seemed dead.
    void beat();

    /// Who holds the lock now, without taking it; nothing if nobody does.
    static std::optional<std::string> holder(const SweepDirectory& directory);

  private:
    using Clock = std::chrono::steady_clock;

    std::filesystem::path path_;
    FileDescriptor file_;
    std::string content_;
    Clock::time_point beat_ = Clock::now();
    std::optional<std::string> abandoned_by_;
};

}  // namespace crescendo::launch
