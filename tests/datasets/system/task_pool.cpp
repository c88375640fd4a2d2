#include "datasets/system/task_pool.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <vector>

using crescendo::datasets::TaskPool;

TEST_CASE("every task runs once, whatever the number of threads") {
    for (const int num_threads : {1, 2, 5}) {
        TaskPool pool(num_threads);
        for (const std::size_t num_tasks : {0, 1, 2, 100}) {
            std::vector<std::atomic<int>> runs(num_tasks);

            pool.run(num_tasks, [&](std::size_t task) { ++runs[task]; });

            for (const auto& count : runs) {
                CHECK(count == 1);
            }
        }
    }
}

TEST_CASE("tasks run at the same time") {
    TaskPool pool(3);
    std::latch all_running(3);

    pool.run(3, [&](std::size_t) { all_running.arrive_and_wait(); });  // would never return if they ran in sequence
}

TEST_CASE("run() rethrows what a task throws, and the pool stays usable") {
    for (const int num_threads : {1, 3}) {
        TaskPool pool(num_threads);
        std::atomic<int> begun = 0;

        CHECK_THROWS_WITH_AS(pool.run(1000,
                                      [&](std::size_t task) {
                                          ++begun;
                                          if (task == 0) {
                                              throw std::runtime_error("task 0");
                                          }
                                      }),
                             "task 0", std::runtime_error);
        CHECK((num_threads > 1 || begun == 1));

        begun = 0;
        pool.run(10, [&](std::size_t) { ++begun; });
        CHECK(begun == 10);
    }
}
