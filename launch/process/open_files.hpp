#pragma once

#include <cstdint>

namespace crescendo::launch {

/// Files and sockets that a process with the workers of so many slots opens at most: a worker takes a socket and a
/// process descriptor, and briefly a pipe and a log.
constexpr std::uint64_t open_files_of(std::uint64_t num_slots) { return 64 + 8 * num_slots; }

/// Files that this process, and those that it starts, could be allowed to open (`ulimit -Hn`).
std::uint64_t most_open_files();

/// Lets this process, and those that it starts, open so many files (`ulimit -Sn`), as far as the system allows. Never
/// lets it open fewer than before. Returns how many it may open now.
std::uint64_t allow_open_files(std::uint64_t wanted);

}  // namespace crescendo::launch
