#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "core/fields.hpp"
#include "core/files/file_descriptor.hpp"
#include "launch/batch/batch_system.hpp"
#include "launch/directory/sweep_directory.hpp"
#include "launch/system/clock.hpp"

namespace crescendo::launch {

/// The holder of a lock, as the lock file names it.
struct LockHolder {
    std::string host;
    int pid = 0;
    std::string boot;        ///< boot id of the host; a pid means nothing after a reboot
    std::int64_t start = 0;  ///< start of the process in ticks since that boot, because pids are reused
    std::string job;         ///< batch job; empty: none
    std::string since;       ///< start of the lock, in local time
    std::int64_t uid = -1;   ///< user id; -1 in locks of older versions, which do not have it
    std::string directory;   ///< directory of the holder's sweep; empty in locks of older versions

    static constexpr auto fields() {
        return std::tuple(Field{"host", &LockHolder::host}, Field{"pid", &LockHolder::pid},
                          Field{"boot", &LockHolder::boot}, Field{"start", &LockHolder::start},
                          Field{"job", &LockHolder::job}, Field{"since", &LockHolder::since},
                          Field{"uid", &LockHolder::uid}, Field{"directory", &LockHolder::directory});
    }

    /// "process 7 on n1 since 2026-11-21 16:04:05 (job 17)"
    std::string text() const;
};

/// How a process uses a sweep that it has locked.
enum class LockUse {
    writing,
    removing,  ///< removes files even on a full disk, where the lock names no holder and only flock protects
};

/// The right to write in a sweep's directory. At most one process holds it. It ends with that process.
///
/// It is a lock (flock) on the file `lock`, which also names the holder. Some file systems keep such locks separately
/// on each node. There the content of the file decides. A file that was copied with its directory says nothing about
/// the copy. A holder on this host is alive if its process is. If the job script of `crescendo submit` runs us, a
/// holder in our job is an earlier step, which is over; in a user's own allocation, several steps may run at a time. A
/// holder in another job is alive as long as the batch system has that job; a batch system may hide jobs from other
/// users. Otherwise the age of the file decides, because a holder touches the file every few seconds. The age is
/// measured with the file system's clock, or, with more tolerance, with ours if no file can be created to read that
/// clock. The file stays after the lock has ended, and is empty if the holder released it properly.
class SweepLock {
  public:
    /// Throws InvalidInput that names the holder, since when it holds the lock, and the remedy.
    explicit SweepLock(const SweepDirectory& directory, LockUse use = LockUse::writing);

    /// The former holder, if it died without releasing the lock.
    const std::optional<std::string>& abandoned_by() const { return abandoned_by_; }

    /// Releases the lock early. Do not call beat() after it.
    void release();

    ~SweepLock();
    SweepLock(SweepLock&&) = delete;
    SweepLock& operator=(SweepLock&&) = delete;

    /// Touches the lock file if that is due; call it a few times a second. Throws std::runtime_error if another process
    /// took the lock because this one stood still for so long that it seemed dead.
    void beat();

    /// The present holder of the lock; nothing if it is free. Does not take the lock. If only the batch system knows
    /// whether the holder lives, it is asked, through `watch` if there is one.
    static std::optional<std::string> holder(const SweepDirectory& directory, JobWatch* watch = nullptr);

  private:
    std::filesystem::path path_;
    FileDescriptor file_;
    std::string content_;
    Clock::time_point beat_ = Clock::now();
    std::optional<std::string> abandoned_by_;
};

}  // namespace crescendo::launch
