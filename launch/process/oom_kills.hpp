#pragma once

#include <cstdint>
#include <filesystem>

namespace crescendo::launch {

/// Counts the processes that the kernel killed because their control group was out of memory. Such a process itself
/// shows only SIGKILL.
class OomKills {
  public:
    /// Reads the count of this process's control group, which its children share. If the kernel keeps no count, no
    /// kills are seen.
    OomKills();

    /// `counter` has a line "oom_kill N": memory.events (cgroup v2) or memory.oom_control (v1).
    explicit OomKills(std::filesystem::path counter);

    /// Takes one kill since this object was made that has not been taken yet. Returns false if there is none.
    bool take();

  private:
    std::int64_t count() const;

    std::filesystem::path counter_;
    std::int64_t taken_;
};

}  // namespace crescendo::launch
