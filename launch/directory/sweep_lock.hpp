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
    std::string since;       ///< since when, in local time
    std::int64_t uid = -1;   ///< user; -1 in locks of older versions, which do not say
    std::string directory;   ///< of the sweep on which it works; empty in locks of older versions

    static constexpr auto fields() {
        return std::tuple(Field{"host", &LockHolder::host}, Field{"pid", &LockHolder::pid},
                          Field{"boot", &LockHolder::boot}, Field{"start", &LockHolder::start},
                          Field{"job", &LockHolder::job}, Field{"since", &LockHolder::since},
                          Field{"uid", &LockHolder::uid}, Field{"directory", &LockHolder::directory});
    }

    /// "process 7 on n1 since 2026-11-21 16:04:05 (job 17)"
    std::string text() const;
};

/// What a process does with a sweep that it has locked.
enum class LockUse {
    writing,
    removing,  ///< files, which has to work on a full disk: nobody's name fits in the lock then, and flock is all
};

/// The right to write in a sweep's directory. At most one process holds it, and it ends with that process.
///
/// It is a lock (flock) on the file `lock`, which also names the holder. Some file systems keep such locks on each node
/// separately. There the content of the file decides. One that was copied with its directory says nothing of the copy.
/// A holder on this host is alive if its process is. Where the job script of `crescendo submit` runs us, a holder in
/// our job is a former step of it, and over; in an allocation of the user's own there may be several steps at a time. A
/// holder in another job is alive as long as the batch system has that job, of which it may not tell other users. For
/// others the age of the file decides, because a holder touches the file every few seconds: by the clock of the file
/// system, or more generously by ours where no file can be made to read that clock. The file stays after the lock has
/// ended, and is empty if the holder left in good order.
class SweepLock {
  public:
    /// Throws InvalidInput that names the holder, since when, and the remedy.
    explicit SweepLock(const SweepDirectory& directory, LockUse use = LockUse::writing);

    /// The former holder, if it died without giving the lock back.
    const std::optional<std::string>& abandoned_by() const { return abandoned_by_; }

    /// Gives the lock back before its end. beat() must not be called any more.
    void release();

    ~SweepLock();
    SweepLock(SweepLock&&) = delete;
    SweepLock& operator=(SweepLock&&) = delete;

    /// Gives a sign of life if one is due; call it a few times a second. Throws std::runtime_error if another process
    /// took the lock because this one had stopped for so long that it seemed dead.
    void beat();

    /// The holder of the lock now; nothing if it is free. Does not take the lock. Where only the batch system knows
    /// whether the holder lives, it is asked through `watch`, if there is one.
    static std::optional<std::string> holder(const SweepDirectory& directory, JobWatch* watch = nullptr);

  private:
    std::filesystem::path path_;
    FileDescriptor file_;
    std::string content_;
    Clock::time_point beat_ = Clock::now();
    std::optional<std::string> abandoned_by_;
};

}  // namespace crescendo::launch
