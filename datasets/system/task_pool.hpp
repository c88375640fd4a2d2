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

/// Threads that help their owner run a list of tasks.
class TaskPool {
  public:
    /// `num_threads`, at least 1, includes the owner's thread.
    explicit TaskPool(int num_threads);

    /// Calls task(0) … task(num_tasks - 1), several at a time, and starts them in this order. Returns when all are
    /// done. After one throws, starts no more tasks, and rethrows its exception here.
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
