#include "trainer/device/nccl/nccl_backend.hpp"

#include <ATen/ATen.h>

#include <exception>
#include <thread>

#include "tests/trainer/device/fake_nccl/fake_nccl.hpp"
#include "tests/trainer/device/fake_nccl/host_queue.hpp"
#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;
using namespace std::chrono_literals;

namespace {

/// Like a GPU's queue: using a result does not make the host wait for it.
class GpuQueue : public HostQueue {
  public:
    void begin_after_computing() override {
        if (computing) {
            stream_.enqueue([computing = computing] {
                while (*computing) {
                    std::this_thread::yield();
                }
            });
        }
    }

    void complete(c10::ivalue::Future& future, const c10::IValue& value, const std::function<void()>&) override {
        future.markCompleted(value);
    }

    std::shared_ptr<std::atomic<bool>> computing;  ///< the device computes while it is true; null: never
};

/// `patience` is for its collectives.
c10::intrusive_ptr<NcclBackend> backend_of(const nccl::UniqueId& id, int rank, int size,
                                           std::shared_ptr<DeviceQueue> queue, const Patience& patience) {
    auto communicator = std::make_unique<NcclCommunicator>(fake_library(), id, rank, size, Patience{.timeout = 30s});
    return c10::make_intrusive<NcclBackend>(std::move(communicator), std::move(queue), rank, size, patience);
}

c10::intrusive_ptr<NcclBackend> alone(std::shared_ptr<DeviceQueue> queue, const Patience& patience = {}) {
    return backend_of(new_id(), 0, 1, std::move(queue), patience);
}

c10::intrusive_ptr<c10d::Work> sum(NcclBackend& backend, const at::Tensor& numbers) {
    std::vector<at::Tensor> tensors{numbers};
    return backend.allreduce(tensors, {});
}

const std::function<bool()> never = [] { return false; };

}  // namespace

TEST_CASE("two members sum and broadcast tensors of every type that groups use") {
    const auto id = new_id();
    const auto run = [&](int rank) {
        const auto backend = backend_of(id, rank, 2, std::make_shared<HostQueue>(), {.timeout = 30s});
        for (const auto type : {at::kFloat, at::kDouble, at::kLong}) {
            const at::Tensor numbers = at::full({2, 3}, rank + 1, type);
            sum(*backend, numbers)->wait();
            CHECK(numbers.eq(3).all().item<bool>());
        }
        std::vector<at::Tensor> bytes{at::full({3}, rank, at::kByte)};
        c10d::BroadcastOptions from_last;
        from_last.rootRank = 1;
        backend->broadcast(bytes, from_last)->wait();
        CHECK(bytes[0].eq(1).all().item<bool>());
        CHECK(sum(*backend, at::zeros({0}))->wait());
    };
    std::exception_ptr failure;
    std::thread other([&] {
        try {
            run(1);
        } catch (...) {
            failure = std::current_exception();
        }
    });
    run(0);
    other.join();
    CHECK_FALSE(failure);
}

TEST_CASE("the future of a collective holds its tensors, as c10d::Reducer expects") {
    const auto backend = alone(std::make_shared<HostQueue>());
    const at::Tensor numbers = at::ones({2});

    const auto future = sum(*backend, numbers)->getFuture();

    CHECK(future->completed());
    CHECK(future->value().toTensorVector().at(0).is_same(numbers));
}

TEST_CASE("tensors with gaps, complex tensors and reductions other than the sum are refused") {
    const auto backend = alone(std::make_shared<HostQueue>());
    std::vector<at::Tensor> tensors{at::ones({2})};
    c10d::AllreduceOptions product;
    product.reduceOp = c10d::ReduceOp::PRODUCT;

    CHECK_THROWS_AS(sum(*backend, at::ones({4, 4}).select(1, 0)), c10::Error);
    CHECK_THROWS_AS(backend->allreduce(tensors, product), c10::Error);
    CHECK_THROWS_AS(sum(*backend, at::ones({2}, at::kComplexFloat)), c10::Error);
}

TEST_CASE("on a GPU a collective is only enqueued, and finish waits for all of them") {
    const auto queue = std::make_shared<GpuQueue>();
    queue->computing = std::make_shared<std::atomic<bool>>(true);
    const auto backend = alone(queue);

    CHECK(sum(*backend, at::ones({2}))->wait());
    const auto first_is_done = queue->mark();
    CHECK(sum(*backend, at::ones({2}))->wait());
    CHECK_FALSE(first_is_done());

    *queue->computing = false;
    backend->finish(never);
    CHECK(first_is_done());
}

TEST_CASE("finish reports a collective that failed on a GPU in NCCL's words") {
    const FakeNcclOrders orders;
    orders.tell("collective", "fail 6 socketProgress: Connection closed by remote peer node3<41234>");
    const auto backend = alone(std::make_shared<GpuQueue>());
    CHECK_NOTHROW(sum(*backend, at::ones({2}))->wait());

    CHECK_THROWS_WITH_AS(backend->finish(never), doctest::Contains("ncclAllReduce: ncclRemoteError"), NcclError);
}

TEST_CASE("the time-out for peers starts when this member has computed its input to the collective") {
    const FakeNcclOrders orders;
    orders.tell("collective", "hang");
    const auto queue = std::make_shared<GpuQueue>();
    queue->computing = std::make_shared<std::atomic<bool>>(true);
    const auto backend = alone(queue, {.timeout = 1ms});
    sum(*backend, at::ones({2}));
    int num_asked = 0;
    const auto compute_for_a_while = [&] {
        *queue->computing = ++num_asked < 100;  // 5 ms or more
        return false;
    };

    CHECK_THROWS_WITH_AS(backend->finish(compute_for_a_while), doctest::Contains("not done after 0.001 s"), NcclError);
    CHECK(num_asked >= 100);
}

TEST_CASE("a new order ends the wait of finish") {
    const FakeNcclOrders orders;
    orders.tell("collective", "hang");
    const auto backend = alone(std::make_shared<GpuQueue>());
    sum(*backend, at::ones({2}));

    CHECK_THROWS_WITH_AS(backend->finish([] { return true; }), doctest::Contains("a new order"), NcclError);
}

TEST_CASE("tensors that NCCL still writes to are kept until the group has ended") {
    const FakeNcclOrders orders;
    orders.tell("collective", "hang");
    at::Tensor numbers = at::ones({2});
    const c10::weak_intrusive_ptr<c10::TensorImpl> watched(numbers.getIntrusivePtr());
    {
        const auto backend = alone(std::make_shared<GpuQueue>());
        sum(*backend, std::exchange(numbers, {}));
        CHECK_FALSE(watched.expired());
        backend->abort();
    }

    CHECK(watched.expired());
}
