#pragma once

#include <c10/util/intrusive_ptr.h>

#include <future>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "trainer/device/gpu_identity.hpp"
#include "trainer/device/nccl/device_queue.hpp"
#include "trainer/device/nccl/nccl_communicator.hpp"
#include "trainer/device/patience.hpp"

namespace c10d {
class ProcessGroup;
class Store;
}  // namespace c10d

namespace crescendo::trainer {

class NcclBackend;

/// The groups over NCCL that this process is a member of, one after the other.
///
/// To form a communicator takes a second, and a search forms the same groups again and again. So the last communicators
/// whose groups ended in good order are kept: where all members still have one of theirs, they take it.
class NcclGroups {
  public:
    /// So many communicators are kept from trial to trial; each takes some hundred megabytes of a GPU.
    static constexpr std::size_t most_kept = 4;
    /// So many of one trial are kept: with one more, a group waits for the second that NCCL takes to end another.
    static constexpr std::size_t most_of_a_trial = 8;

    NcclGroups(NcclLibrary library, GpuIdentity gpu);
    NcclGroups(NcclGroups&&) = default;
    /// Waits for the communicators that NCCL still ends, but no longer than it may take.
    ~NcclGroups();

    /// Forms a communicator of one and ends it, so that what NCCL does at first use (it loads its kernels, and looks at
    /// the machine) comes before a trial waits for it. A NCCL that fails is a line of the log: it may not be needed.
    void warm_up();

    /// Meets the other members, who call this with the same store. Null where members share a GPU, which NCCL refuses.
    /// Throws what the store throws, and NcclError. The group's tensors lie on `place`, whose collectives `queue`
    /// carries out.
    c10::intrusive_ptr<c10d::ProcessGroup> make(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                                                const Patience& patience, at::DeviceType place,
                                                std::shared_ptr<DeviceQueue> queue);

    /// Ends a group that make() made, whatever its other members do.
    void end(c10d::ProcessGroup& group);

    /// Call it between trials, when there is no group: ends, in the background, what is kept for no other trial.
    void rest();

  private:
    /// This process' part of a communicator.
    struct Part {
        std::string name;  ///< the same for all members, and no other communicator's
        int rank;
        int size;
        std::string algorithms;  ///< NCCL_ALGO as it was made: what it adds up by, as long as it lives
        std::unique_ptr<NcclCommunicator> communicator;

        /// What member `member` says of its part if it can be used again together with this one.
        std::string offer(int member) const;
    };
    struct Plan;

    Plan meet(c10d::Store& store, int rank, int size) const;
    Plan plan_for(const std::vector<std::string>& members) const;
    std::string introduction() const;
    std::unique_ptr<NcclCommunicator> take(const std::string& name);
    void keep(std::size_t most);
    void end_idle(NcclCommunicator& communicator) noexcept;
    void await_ended() noexcept;

    NcclLibrary library_;
    GpuIdentity gpu_;
    std::list<Part> kept_;                   ///< the last one first
    Part present_{};                         ///< of the last group, whose backend has the communicator
    std::vector<std::future<void>> ending_;  ///< of communicators that nobody needs
};

/// The backend of a group that NcclGroups made; null if the group is another's.
NcclBackend* nccl_backend(const c10d::ProcessGroup& group);

}  // namespace crescendo::trainer
