#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace crescendo::datasets {

/// Threads that help their owner through a list of tasks.
class TaskPool {
  public:
    /// The owner's thread is one of the `num_threads`, of which there is at least 1.
    explicit TaskPool(int num_threads);

    /// Calls task(0) … task(num_tasks - 1), several at a time, and begins them in this order. Returns when all are
    /// done. Once one throws, no further ones begin, and what it threw is thrown here.
    void run(std::size_t num_tasks, const std::function<void(std::size_t)>& task);

  private:
    void help(const std::stop_token& stop);
    void work(std::unique_lock<std::mutex>& lock);

    std::mutex mutex_;  ///< guards all members except the threads
    std::condition_variable_any changed_;
    const std::function<void(std::size_t)>* task_ = nullptr;
    std::size_t num_tasks_ = 0;
    std::size_t next_ = 0;
    std::size_t num_running_ = 0;
    std::exception_ptr failure_;

    std::vector<std::jthread> helpers_;  ///< the last member, because they use all others
};

}  // namespace crescendo::datasets
