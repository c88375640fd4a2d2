#pragma once

#include <ATen/Parallel.h>

#include <cstdlib>
#include <exception>
#include <functional>
#include <thread>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <vector>

#include "trainer/group/group.hpp"

namespace crescendo::trainer::test {

/// Torch records the collectives of a process without a lock, so several groups in one process sometimes crash it.
inline const int recorder_is_off = ::setenv("TORCH_FR_BUFFER_SIZE", "0", /*overwrite=*/1);

/// Members are threads already. OpenMP would give each one more threads, which spin while they wait for work, and other
/// tests run at the same time.
inline const bool one_thread_each = (at::set_num_threads(1), true);

/// Calls `member` in a separate thread for each member of a group, with one device for each, and waits for all of them.
/// Rethrows an exception of a member.
inline void in_group(const std::vector<const Device*>& devices, const std::function<void(const Group&)>& member) {
    const int size = static_cast<int>(devices.size());
    const auto store = c10::make_intrusive<c10d::HashStore>();
    std::vector<std::exception_ptr> failures(static_cast<std::size_t>(size));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size; ++rank) {
        threads.emplace_back([&, rank] {
            try {
                const Group group(*devices[static_cast<std::size_t>(rank)], store,
                                  {.rank = rank, .size = size, .timeout = std::chrono::seconds(30), .interrupted = {}});
                member(group);
            } catch (...) {
                failures[static_cast<std::size_t>(rank)] = std::current_exception();
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    for (const auto& failure : failures) {
        if (failure) {
            std::rethrow_exception(failure);
        }
    }
}

/// The same for a group of `size` members that share a device.
inline void in_group(int size, const Device& device, const std::function<void(const Group&)>& member) {
    if (size == 1) {
        return member(Group(device));
    }
    in_group(std::vector<const Device*>(static_cast<std::size_t>(size), &device), member);
}

}  // namespace crescendo::trainer::test
