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

/// The NCCL groups of which this process is a member, one after the other.
///
/// Forming a communicator takes a second, and a search forms the same groups again and again. So the last communicators
/// whose groups ended cleanly are kept. If all members of a new group still have the same one, they reuse it.
class NcclGroups {
  public:
    /// Number of communicators that are kept from trial to trial. Each takes a few hundred megabytes of GPU memory.
    static constexpr std::size_t most_kept = 4;
    /// Number of communicators that are kept within one trial. To make one more, a group waits for the second that NCCL
    /// takes to end another.
    static constexpr std::size_t most_of_a_trial = 8;

    NcclGroups(NcclLibrary library, GpuIdentity gpu);
    NcclGroups(NcclGroups&&) = default;
    /// Waits for communicators that NCCL is still ending, up to the time allowed for that.
    ~NcclGroups();

    /// Forms a communicator of size one and ends it, so that no trial waits for what NCCL does at first use: it loads
    /// its kernels and inspects the machine. A failure is only logged, because NCCL may not be needed.
    void warm_up();

    /// Forms a group with the other members, which call this with the same store. Returns null if members share a GPU,
    /// which NCCL refuses. The group's tensors lie on `place`, and `queue` runs its collectives. Throws what the store
    /// throws, and NcclError.
    c10::intrusive_ptr<c10d::ProcessGroup> make(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                                                const Patience& patience, at::DeviceType place,
                                                std::shared_ptr<DeviceQueue> queue);

    /// Ends a group that make() made, whatever its other members do.
    void end(c10d::ProcessGroup& group);

    /// Call it between trials, while there is no group: ends, in the background, the communicators that are not kept
    /// for another trial.
    void rest();

  private:
    /// This process's part of a communicator.
    struct Part {
        std::string name;  ///< the same for all members; unique to the communicator
        int rank;
        int size;
        std::string algorithms;  ///< NCCL_ALGO at its creation, which fixes how it adds up
        std::unique_ptr<NcclCommunicator> communicator;

        /// The text that member `member` publishes about its part if that can be reused together with this one.
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
    std::list<Part> kept_;                   ///< most recent first
    Part present_{};                         ///< of the last group; its backend has the communicator
    std::vector<std::future<void>> ending_;  ///< communicators that are ending
};

/// The backend of a group that NcclGroups made; null for any other group.
NcclBackend* nccl_backend(const c10d::ProcessGroup& group);

}  // namespace crescendo::trainer
