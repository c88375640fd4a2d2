#pragma once

#include <cstdint>

namespace crescendo::launch {

/// Maximum number of files and sockets that a process with workers on `num_slots` slots opens: each worker takes a
/// socket and a process descriptor, and briefly a pipe and a log.
constexpr std::uint64_t open_files_of(std::uint64_t num_slots) { return 64 + 8 * num_slots; }

/// Upper limit on the open files of this process and its children (`ulimit -Hn`).
std::uint64_t most_open_files();

/// Raises the open-file limit of this process and its children (`ulimit -Sn`) to `wanted`, as far as the system allows.
/// Never lowers it. Returns the new limit.
std::uint64_t allow_open_files(std::uint64_t wanted);

}  // namespace crescendo::launch
