#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace crescendo::trainer::test {

/// Stands in for a CUDA stream in the fake NCCL: a thread that runs one task after the other. A task that never ends
/// holds up only the tasks after it.
class HostStream {
  public:
    HostStream() : inside_(std::make_shared<Inside>()) {
        std::thread([inside = inside_] { inside->run(); }).detach();
    }
    HostStream(const HostStream&) = delete;
    HostStream& operator=(const HostStream&) = delete;
    ~HostStream() {
        enqueue([inside = inside_.get()] { inside->ended = true; });
    }

    void enqueue(std::function<void()> task) {
        const std::lock_guard lock(inside_->mutex);
        inside_->tasks.push_back(std::move(task));
        inside_->arrived.notify_one();
    }

    /// Becomes true once the stream has done everything that it has been asked to do so far.
    std::shared_ptr<const std::atomic<bool>> mark() {
        const auto passed = std::make_shared<std::atomic<bool>>(false);
        enqueue([passed] { *passed = true; });
        return passed;
    }

  private:
    struct Inside {
        std::mutex mutex;
        std::condition_variable arrived;
        std::deque<std::function<void()>> tasks;
        bool ended = false;  ///< only used by the thread

        void run() {
            while (!ended) {
                std::unique_lock lock(mutex);
                arrived.wait(lock, [this] { return !tasks.empty(); });
                const auto task = std::move(tasks.front());
                tasks.pop_front();
                lock.unlock();
                task();
            }
        }
    };

    std::shared_ptr<Inside> inside_;
};

}  // namespace crescendo::trainer::test
