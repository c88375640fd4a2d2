#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace crescendo::trainer::test {

/// What the fake NCCL takes for a stream of CUDA: a thread that does one thing after the other. A thing that never ends
/// holds up what comes after it, and nobody else.
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

    /// Becomes true once the stream has done what it has been asked so far.
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
        bool ended = false;  ///< the thread's own

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
