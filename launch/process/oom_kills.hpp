#pragma once

#include <cstdint>
#include <filesystem>

namespace crescendo::launch {

/// How often the kernel has killed a process because the memory of its control group was used up. A process that died
/// of it shows nothing but SIGKILL.
class OomKills {
  public:
    /// Counts in the control group of this process, which its children share. If the kernel keeps no count, there are
    /// no kills.
    OomKills();

    /// `counter` has a line "oom_kill N": memory.events (cgroup v2) or memory.oom_control (v1).
    explicit OomKills(std::filesystem::path counter);

    /// Whether there was a kill, since this object was made, that has not been taken yet. Takes it.
    bool take();

  private:
    std::int64_t count() const;

    std::filesystem::path counter_;
    std::int64_t taken_;
};

}  // namespace crescendo::launch
