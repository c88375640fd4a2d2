#include "trainer/device/nccl/nccl_groups.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <list>
#include <thread>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "tests/await.hpp"
#include "tests/trainer/device/fake_nccl/fake_nccl.hpp"
#include "tests/trainer/device/fake_nccl/host_queue.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/device/nccl/nccl_backend.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;
using namespace std::chrono_literals;

namespace {

/// A process with its own GPU.
NcclGroups process(const std::string& gpu) {
    return {fake_library(), {.uuid = gpu, .host = "here", .pci_address = gpu}};
}

/// Forms a group of these processes, in this order, and calls `member` for each one in a separate thread.
void in_group(const std::vector<NcclGroups*>& processes,
              const std::function<void(int rank, const c10::intrusive_ptr<c10d::ProcessGroup>&)>& member) {
    const auto store = c10::make_intrusive<c10d::HashStore>();
    std::vector<std::thread> threads;
    for (int rank = 0; rank < static_cast<int>(processes.size()); ++rank) {
        threads.emplace_back([&, rank] {
            member(rank, processes[static_cast<std::size_t>(rank)]->make(
                             store, rank, static_cast<int>(processes.size()), {.timeout = 30s}, at::kCPU,
                             std::make_shared<HostQueue>()));
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
}

/// Pretends to train in a group and ends the group. The `failing` members abort it first.
void train(const std::vector<NcclGroups*>& processes, const std::vector<int>& failing = {}) {
    in_group(processes, [&](int rank, const auto& group) {
        std::vector<at::Tensor> numbers{at::ones({1})};
        group->allreduce(numbers)->wait();
        CHECK(numbers[0].template item<float>() == static_cast<float>(processes.size()));
        if (std::ranges::count(failing, rank) > 0) {
            nccl_backend(*group)->abort();
        }
        processes[static_cast<std::size_t>(rank)]->end(*group);
    });
}

}  // namespace

TEST_CASE("members that meet again reuse their communicator") {
    const FakeNcclOrders orders;
    auto a = process("a");
    auto b = process("b");
    auto c = process("c");

    train({&a, &b});
    CHECK(orders.num_formed() == 2);
    train({&a, &b, &c});
    CHECK(orders.num_formed() == 5);
    train({&a, &b});
    train({&a, &b, &c});
    train({&a, &b});
    CHECK(orders.num_formed() == 5);
}

TEST_CASE("a communicator is not reused for other NCCL algorithms") {
    const FakeNcclOrders orders;
    auto a = process("a");
    auto b = process("b");
    train({&a, &b});

    ::setenv("NCCL_ALGO", "^NVLS", /*overwrite=*/1);
    train({&a, &b});
    CHECK(orders.num_formed() == 4);
    train({&a, &b});
    CHECK(orders.num_formed() == 4);
    ::unsetenv("NCCL_ALGO");

    train({&a, &b});
    CHECK(orders.num_formed() == 4);  // the first one is still kept
}

TEST_CASE("the same members in a different order form a different group") {
    const FakeNcclOrders orders;
    auto a = process("a");
    auto b = process("b");

    train({&a, &b});
    train({&b, &a});

    CHECK(orders.num_formed() == 4);
}

TEST_CASE("no member reuses a communicator that has failed at one member") {
    const FakeNcclOrders orders;
    auto a = process("a");
    auto b = process("b");

    for (const int failing : {0, 1}) {
        train({&a, &b}, {failing});
    }
    train({&a, &b});

    CHECK(orders.num_formed() == 6);
}

TEST_CASE("members that left a group at different collectives do not reuse its communicator") {
    const FakeNcclOrders orders;
    auto a = process("a");
    auto b = process("b");
    orders.tell("collective", "skip");  // rank 0 also finishes a broadcast that the others have not begun
    in_group({&a, &b}, [&](int rank, const auto& group) {
        std::vector<at::Tensor> numbers{at::ones({1})};
        if (rank == 0) {
            group->broadcast(numbers)->wait();
        }
        (rank == 0 ? a : b).end(*group);
    });
    orders.revoke("collective");

    train({&a, &b});

    CHECK(orders.num_formed() == 4);
}

TEST_CASE("more communicators are kept within a trial than between trials") {
    const FakeNcclOrders orders;
    auto a = process("a");
    std::list<NcclGroups> others;
    const auto train_with_new = [&](std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            train({&a, &others.emplace_back(process("other " + std::to_string(others.size())))});
        }
    };
    const auto await_ending = [&](std::size_t count) {  // threads end them
        crescendo::tests::await("communicators to end", [&] { return orders.num_ending() >= static_cast<int>(count); });
        CHECK(orders.num_ending() == static_cast<int>(count));
    };

    train_with_new(NcclGroups::most_of_a_trial);
    CHECK(orders.num_ending() == 0);
    train_with_new(1);
    await_ending(1);
    a.rest();
    await_ending(1 + NcclGroups::most_of_a_trial - NcclGroups::most_kept);
}

TEST_CASE("only the most recent communicators are kept from trial to trial") {
    const FakeNcclOrders orders;
    auto a = process("a");
    std::list<NcclGroups> others;
    for (std::size_t i = 0; i <= NcclGroups::most_kept; ++i) {
        train({&a, &others.emplace_back(process("other " + std::to_string(i)))});
    }
    a.rest();
    const int before = orders.num_formed();

    train({&a, &others.back()});
    CHECK(orders.num_formed() == before);
    train({&a, &others.front()});
    CHECK(orders.num_formed() == before + 2);
}

TEST_CASE("warming up NCCL forms a group of one and tolerates a broken NCCL") {
    const FakeNcclOrders orders;
    auto a = process("a");

    a.warm_up();
    CHECK(orders.num_formed() == 1);

    orders.tell("init", "fail 3 Bootstrap : no socket interface found");
    CHECK_NOTHROW(a.warm_up());
    CHECK(orders.num_formed() == 1);
}

TEST_CASE("no group starts while NCCL ends a communicator") {
    const FakeNcclOrders orders;
    auto a = process("a");
    auto b = process("b");
    orders.tell("abort", "hang");
    a.warm_up();
    std::atomic<bool> began = false;
    std::thread training([&] {
        in_group({&a, &b}, [&](int rank, const auto& group) {
            began = began || rank == 0;
            (rank == 0 ? a : b).end(*group);
        });
    });

    crescendo::tests::await("the group to form", [&] { return orders.num_formed() == 3; });
    std::this_thread::sleep_for(20ms);
    CHECK_FALSE(began);  // otherwise the wait for a hanging collective would never end
    orders.revoke("abort");
    training.join();
    CHECK(began);
}

TEST_CASE("members that share a GPU do not form a group over NCCL") {
    auto a = process("a");
    auto b = process("b");
    auto c = process("a");
    std::atomic<int> num_without = 0;

    in_group({&a, &b, &c}, [&](int, const auto& group) { num_without += group ? 0 : 1; });

    CHECK(num_without == 3);
}
