#include "trainer/device/nccl/nccl_communicator.hpp"

#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <thread>
#include <vector>

#include "tests/trainer/device/fake_nccl/fake_nccl.hpp"
#include "tests/trainer/device/fake_nccl/host_stream.hpp"
#include "trainer/protocol/error_words.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;
using namespace std::chrono_literals;

namespace {

const Patience long_patience{.timeout = 30s};

/// A member of a group, for use in its own thread. `patience` is for its collectives.
class Member {
  public:
    Member(const nccl::UniqueId& id, int rank, int size, const Patience& forming = long_patience,
           Patience patience = long_patience)
        : communicator_(fake_library(), id, rank, size, forming), patience_(std::move(patience)) {}

    /// Waits for the sum over all members.
    std::vector<float> sum(std::vector<float> numbers) {
        communicator_.all_reduce(numbers.data(), numbers.size(), nccl::DataType::float32, &stream_, patience_);
        end("the sum");
        return numbers;
    }

    std::vector<float> broadcast(std::vector<float> numbers, int root) {
        communicator_.broadcast(numbers.data(), numbers.size(), nccl::DataType::float32, root, &stream_, patience_);
        end("the broadcast");
        return numbers;
    }

    NcclCommunicator& communicator() { return communicator_; }

  private:
    /// Aborts after an error, because pending collectives may still write to the numbers.
    void end(const std::string& what) try {
        communicator_.wait(
            what, [passed = stream_.mark()] { return passed->load(); }, patience_);
    } catch (const NcclError&) {
        communicator_.abort();
        throw;
    }

    HostStream stream_;
    NcclCommunicator communicator_;
    Patience patience_;
};

/// The error that each member of a group of two threw, or "" if it threw none.
std::array<std::string, 2> errors_of_two(const std::function<void(int rank)>& member) {
    std::array<std::string, 2> errors;
    const auto run = [&](int rank) {
        try {
            member(rank);
        } catch (const NcclError& error) {
            errors.at(static_cast<std::size_t>(rank)) = error.what();
        }
    };
    std::thread other(run, 1);
    run(0);
    other.join();
    return errors;
}

std::string error_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const NcclError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("members sum their numbers and broadcast those of one member") {
    const auto id = new_id();
    std::array<std::vector<float>, 3> sums;
    std::array<std::vector<float>, 3> copies;
    const auto run = [&](int rank) {
        Member member(id, rank, 3);
        sums.at(static_cast<std::size_t>(rank)) = member.sum({1.0F, static_cast<float>(rank)});
        copies.at(static_cast<std::size_t>(rank)) = member.broadcast({static_cast<float>(rank)}, /*root=*/1);
    };

    std::thread first(run, 1);
    std::thread second(run, 2);
    run(0);
    first.join();
    second.join();

    for (const auto& sum : sums) {
        CHECK(sum == std::vector<float>{3.0F, 3.0F});  // 0 + 1 + 2
    }
    for (const auto& copy : copies) {
        CHECK(copy == std::vector<float>{1.0F});
    }
}

TEST_CASE("waiting for a peer that never comes ends at the time-out") {
    const auto error = error_of([] { Member(new_id(), 0, 2, {.timeout = 20ms}); });

    CHECK(error == "NCCL, forming a group of 2: not done after 0.02 s");
}

TEST_CASE("a new order ends the wait for a peer that never comes") {
    int num_asked = 0;
    const Patience patience{.timeout = 1h, .give_up = [&] { return ++num_asked == 3; }};

    const auto error = error_of([&] { Member(new_id(), 1, 2, patience); });

    CHECK(error == "NCCL, forming a group of 2: abandoned for a new order");
}

TEST_CASE("NCCL is abandoned at the time-out if it hangs while forming a group") {
    const FakeNcclOrders orders;
    orders.tell("init", "hang");

    CHECK(error_of([] { Member(new_id(), 0, 1, {.timeout = 20ms}); }).ends_with("not done after 0.02 s"));
}

TEST_CASE("an asynchronous NCCL error ends the wait for a collective") {
    const FakeNcclOrders orders;
    const auto id = new_id();

    const auto errors = errors_of_two([&](int rank) {
        Member member(id, rank, 2);
        member.sum({1.0F});
        orders.tell("collective." + std::to_string(rank),
                    "fail 6 NET/IB : Got completion from peer 10.0.0.2 with status=12");
        member.sum({1.0F});
    });

    for (const auto& error : errors) {
        CHECK(error.find("ncclRemoteError") != error.npos);
        CHECK(error.ends_with("Got completion from peer 10.0.0.2 with status=12"));
        CHECK_FALSE(blames_this_worker(error));
    }
}

TEST_CASE("when a member leaves, the others stop waiting for it") {
    const auto id = new_id();

    const auto errors = errors_of_two([&](int rank) {
        Member member(id, rank, 2);
        member.sum({1.0F});
        if (rank == 1) {
            member.communicator().abort();
        } else {
            member.sum({1.0F});
        }
    });

    CHECK(errors[0].find("Connection closed by remote peer") != errors[0].npos);
    CHECK(errors[1].empty());
}

TEST_CASE("the wait for a hanging collective ends at the time-out or with a new order") {
    const FakeNcclOrders orders;
    orders.tell("collective", "hang");
    const auto id = new_id();
    bool ordered = false;
    const auto errors = errors_of_two([&](int rank) {
        Patience patience = long_patience;
        if (rank == 0) {
            patience.give_up = [&] { return ordered; };
        }
        Member member(id, rank, 2, long_patience, patience);
        if (rank == 0) {
            ordered = true;
            member.sum({1.0F});
        }
    });
    CHECK(errors[0].ends_with("the sum: abandoned for a new order"));

    const auto error = error_of([] { Member(new_id(), 0, 1, long_patience, {.timeout = 20ms}).sum({1.0F}); });
    CHECK(error.ends_with("the sum: not done after 0.02 s"));
}

TEST_CASE("a slow collective is waited for") {
    const FakeNcclOrders orders;
    orders.tell("collective", "slow 30");

    CHECK(Member(new_id(), 0, 1).sum({2.0F}) == std::vector<float>{2.0F});
}

TEST_CASE("a hanging abort blocks nothing and keeps the memory that NCCL may still write to") {
    const FakeNcclOrders orders;
    const auto numbers = std::make_shared<std::vector<float>>(2, 1.0F);
    const std::weak_ptr<void> watched = numbers;
    HostStream stream;
    NcclCommunicator communicator(fake_library(), new_id(), 0, 1, long_patience);
    orders.tell("abort", "hang");

    CHECK_FALSE(communicator.abort(numbers, 20ms));
    CHECK(watched.use_count() == 2);
    CHECK(communicator.abort());  // there is nothing left to end

    orders.revoke("abort");
    for (const Pauses pauses; watched.use_count() > 1 && pauses.elapsed() < 10s; pauses.pause()) {}
    CHECK(watched.use_count() == 1);
}
