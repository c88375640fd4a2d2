#include "datasets/system/task_pool.hpp"

#include <utility>

#include "core/check.hpp"

namespace crescendo::datasets {

TaskPool::TaskPool(int num_threads) {
    CRESCENDO_EXPECT(num_threads >= 1);
    for (int i = 1; i < num_threads; ++i) {
        helpers_.emplace_back([this](const std::stop_token& stop) { help(stop); });
    }
}

void TaskPool::run(std::size_t num_tasks, const std::function<void(std::size_t)>& task) {
    std::unique_lock lock(mutex_);
    task_ = &task;
    num_tasks_ = num_tasks;
    next_ = 0;
    failure_ = nullptr;
    changed_.notify_all();
    work(lock);
    changed_.wait(lock, [this] { return num_running_ == 0; });
    if (failure_) {
        std::rethrow_exception(std::exchange(failure_, nullptr));
    }
}

void TaskPool::help(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return next_ < num_tasks_; })) {
        work(lock);
    }
}

/// Runs tasks until none is left. Holds the lock, except while a task runs.
void TaskPool::work(std::unique_lock<std::mutex>& lock) {
    while (next_ < num_tasks_) {
        const auto index = next_++;
        const auto& task = *task_;
        ++num_running_;
        lock.unlock();
        std::exception_ptr failure;
        try {
            task(index);
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        --num_running_;
        if (failure) {
            failure_ = failure_ ? failure_ : failure;
            next_ = num_tasks_;
        }
    }
    changed_.notify_all();
}

}  // namespace crescendo::datasets
