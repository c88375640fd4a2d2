#include "trainer/group/group.hpp"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>

#include <array>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "tests/trainer/device/fake_nccl/fake_nccl_device.hpp"
#include "tests/trainer/host_device.hpp"
#include "tests/trainer/local_group.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "tests/trainer/transports.hpp"
#include "trainer/device/nccl/nccl_communicator.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

/// Tensors full of `value`: numbers, a matrix, an image with channels last and a slice, also of types that neither Gloo
/// nor NCCL supports.
std::vector<at::Tensor> tensors_of(int value) {
    return {at::full({}, value, at::kLong),
            at::full({2, 3}, value, at::kFloat),
            at::full({1, 2, 2, 2}, value, at::kFloat).contiguous(at::MemoryFormat::ChannelsLast),
            at::full({3}, value, at::kLong),
            at::full({}, value, at::kFloat),
            at::full({2, 2}, value, at::kShort),
            at::full({3}, c10::complex<double>(value, 1), at::kComplexFloat).conj(),
            at::full({4, 2}, value, at::kFloat).select(1, 0)};
}

std::unique_ptr<Device> make_device(OverGloo) { return make_cpu_device(); }
std::unique_ptr<Device> make_device(OverNccl) { return make_fake_nccl_device(); }

/// The devices of a group of three.
template <class Transport>
class Members {
  public:
    std::vector<const Device*> devices() const { return {devices_[0].get(), devices_[1].get(), devices_[2].get()}; }

  private:
    std::array<std::unique_ptr<Device>, 3> devices_{make_device(Transport()), make_device(Transport()),
                                                    make_device(Transport())};
};

/// A backend whose all-reduces fail with `message`.
class FailingBackend : public c10d::Backend {
  public:
    FailingBackend(int rank, int size, std::string message) : Backend(rank, size), message_(std::move(message)) {}

    c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>&, const c10d::AllreduceOptions&) override {
        throw NcclError(message_);
    }

  private:
    std::string message_;
};

/// A device whose groups fail as specified and cannot be ended.
class FailingDevice : public HostDevice {
  public:
    c10::intrusive_ptr<c10d::ProcessGroup> make_process_group(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                                              int size, const Patience&) const override {
        if (at_meeting) {
            std::rethrow_exception(at_meeting);
        }
        auto group = c10::make_intrusive<c10d::ProcessGroup>(store, rank, size);
        group->setBackend(at::kCPU, c10d::ProcessGroup::BackendType::CUSTOM,
                          c10::make_intrusive<FailingBackend>(rank, size, at_collective));
        return group;
    }
    bool finish(c10d::ProcessGroup&, const std::function<bool()>& give_up) const override {
        for (int i = 0; i < num_asks; ++i) {
            if (give_up()) {
                return false;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(num_asks > 2 ? 1 : 0));
        }
        return true;
    }
    void dissolve(c10d::ProcessGroup&) const override {
        ++num_dissolved;
        throw std::runtime_error("the time-out of the abort is over");
    }

    std::exception_ptr at_meeting;  ///< null: the members meet
    std::string at_collective;
    int num_asks = 2;  ///< how often finish() calls give_up
    mutable int num_dissolved = 0;
};

Group group_on(const Device& device) {
    return {device, c10::make_intrusive<c10d::HashStore>(), {.rank = 0, .size = 2, .timeout = {}, .interrupted = {}}};
}

/// Runs a collective whose backend fails with `message`.
void sum_with(const std::string& message) {
    FailingDevice device;
    device.at_collective = message;
    group_on(device).sum({1.0});
}

void meet_with(const std::exception_ptr& error) {
    FailingDevice device;
    device.at_meeting = error;
    group_on(device);
}

const std::string duplicate_gpu =
    "NCCL, forming a group of 2: ncclInvalidUsage: This usually reflects invalid usage of NCCL library.\n"
    "Last error:\nDuplicate GPU detected : rank 0 and rank 1 both on CUDA device 1000";
const std::string remote_gone =
    "NCCL, ncclAllReduce: ncclRemoteError: A call failed possibly due to a network error or a remote "
    "process exiting prematurely.\nLast error:\nsocketProgress: Connection closed by remote peer node3<41234>";

}  // namespace

TEST_CASE("an error while a group ends is ignored") {
    FailingDevice device;

    CHECK_NOTHROW(group_on(device));

    CHECK(device.num_dissolved == 1);
}

TEST_CASE("a member that waits for its device gives signs of life for at most twice the time-out") {
    FailingDevice device;
    int num_beats = 0;
    bool interrupted = false;
    const auto finish = [&](std::chrono::milliseconds timeout) {
        Group(device, c10::make_intrusive<c10d::HashStore>(),
              {.rank = 0,
               .size = 2,
               .timeout = timeout,
               .interrupted = [&] { return interrupted; },
               .waiting = [&] { ++num_beats; }})
            .finish();
    };

    finish(std::chrono::hours(1));
    CHECK(num_beats == 2);  // finish() asks twice
    finish(std::chrono::milliseconds(0));
    CHECK(num_beats == 2);

    interrupted = true;
    CHECK_NOTHROW(finish(std::chrono::hours(1)));  // a wait that ends at once succeeds despite a new order
    device.num_asks = 60'000;
    CHECK_THROWS_AS(finish(std::chrono::hours(1)), PeerLost);
}

TEST_CASE("a failed collective means a lost peer, but an error of this worker keeps its own message") {
    CHECK_THROWS_AS(sum_with(remote_gone), PeerLost);
    CHECK_THROWS_AS(sum_with(duplicate_gpu), NcclError);
    CHECK_THROWS_WITH_AS(sum_with("ncclUnhandledCudaError: \nLast error:\nCuda failure 2 'out of memory'"),
                         doctest::Contains("out of memory"), NcclError);
}

TEST_CASE("members that do not meet are lost peers, but a worker that lacks memory or has a broken GPU says so") {
    const c10::SourceLocation here{__func__, __FILE__, __LINE__};

    CHECK_THROWS_AS(meet_with(std::make_exception_ptr(std::runtime_error("Gloo's words for a store that ended"))),
                    PeerLost);
    CHECK_THROWS_AS(meet_with(std::make_exception_ptr(c10::DistStoreError(here, "the store has ended"))), PeerLost);
    CHECK_THROWS_AS(meet_with(std::make_exception_ptr(NcclError(remote_gone))), PeerLost);
    CHECK_THROWS_AS(meet_with(std::make_exception_ptr(NcclError(duplicate_gpu))), NcclError);
    CHECK_THROWS_AS(meet_with(std::make_exception_ptr(c10::OutOfMemoryError(here, "CUDA out of memory"))),
                    c10::OutOfMemoryError);
    CHECK_THROWS_AS(meet_with(std::make_exception_ptr(std::bad_alloc())), std::bad_alloc);
    CHECK_THROWS_AS(meet_with(std::make_exception_ptr(c10::AcceleratorError(here, 719, "launch failed"))),
                    c10::AcceleratorError);
}

TEST_CASE_TEMPLATE("every member gets rank 0's tensors, whatever their types, shapes, order in memory and blocks",
                   Transport, OverGloo, OverNccl) {
    const Members<Transport> members;
    // The floats take 24, 32, 4 and 16 bytes, and the integers 8 and 24. They are sent in one block for each type, in
    // three blocks of floats, or in a block for each row.
    for (const std::size_t block_bytes : {1 << 20, 40, 1}) {
        CAPTURE(block_bytes);
        std::array<std::vector<at::Tensor>, 3> tensors;

        in_group(members.devices(), [&](const Group& group) {
            auto& mine = tensors[static_cast<std::size_t>(group.rank())];
            mine = tensors_of(group.rank() + 1);
            mine[2][0][1][0][1].fill_(group.rank() + 7);
            group.broadcast(mine, group.rank() == 1 ? Group::Before::lost : Group::Before::kept, block_bytes);
        });

        for (const auto& mine : tensors) {
            for (std::size_t i = 0; i < mine.size(); ++i) {
                CHECK(at::equal(mine[i], tensors[0][i]));
                CHECK(mine[i].strides() == tensors[0][i].strides());
            }
            CHECK(mine[0].item<std::int64_t>() == 1);
            CHECK(mine[2][0][1][0][1].item<float>() == 7);
        }
    }
}

TEST_CASE_TEMPLATE("numbers are summed over the members, and rank 0's text reaches all", Transport, OverGloo,
                   OverNccl) {
    const Members<Transport> members;
    std::array<std::vector<double>, 3> sums;
    std::array<std::string, 3> texts;

    in_group(members.devices(), [&](const Group& group) {
        const auto rank = static_cast<std::size_t>(group.rank());
        sums[rank] = group.sum({1.0, static_cast<double>(rank)});
        texts[rank] = group.broadcast("text of " + std::to_string(rank));
    });

    for (std::size_t rank = 0; rank < 3; ++rank) {
        CHECK(sums[rank] == std::vector<double>{3.0, 3.0});
        CHECK(texts[rank] == "text of 0");
    }
}

TEST_CASE("a group of one keeps what it has") {
    const auto device = make_cpu_device();
    const Group group(*device);
    const at::Tensor tensor = at::full({2}, 3);

    group.broadcast({tensor});

    CHECK(tensor.eq(3).all().item<bool>());
    CHECK(group.sum({1.5}) == std::vector<double>{1.5});
    CHECK(group.broadcast(std::string("text")) == "text");
}
