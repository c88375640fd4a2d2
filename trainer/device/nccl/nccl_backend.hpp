#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <vector>

#include "trainer/device/nccl/device_queue.hpp"
#include "trainer/device/nccl/nccl_communicator.hpp"
#include "trainer/device/patience.hpp"

namespace crescendo::trainer {

/// NCCL for LibTorch: the two collectives that a group and c10d::Reducer use, of one contiguous tensor each.
///
/// LibTorch's own ProcessGroupNCCL has threads that monitor its communicators. After an error they sleep for minutes,
/// and the end of a group waits for them. This backend has no such threads: the waiting thread checks for errors.
///
/// Not thread-safe: only one thread may use it at a time. On a GPU, collectives only enter the queue, and finish()
/// reports their failure; on the host, the collective itself reports it. Failures are NcclError exceptions.
class NcclBackend : public c10d::Backend {
  public:
    /// `patience` applies to each collective.
    NcclBackend(std::unique_ptr<NcclCommunicator> communicator, std::shared_ptr<DeviceQueue> queue, int rank, int size,
                Patience patience);
    ~NcclBackend() override;

    const std::string getBackendName() const override { return "nccl"; }

    c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors,
                                             const c10d::AllreduceOptions& options) override;
    c10::intrusive_ptr<c10d::Work> broadcast(std::vector<at::Tensor>& tensors,
                                             const c10d::BroadcastOptions& options) override;

    /// Waits until all collectives so far are done. The time-out of a collective starts when this member is ready for
    /// it, so computation before a collective may take longer than the time-out.
    void finish(const std::function<bool()>& give_up);

    /// Ends the communicator, whatever the other members do. The backend must not be used again.
    void abort() override;

    /// Returns the communicator if all of its collectives are done; otherwise ends it and returns null. The backend
    /// must not be used again.
    std::unique_ptr<NcclCommunicator> release();

  private:
    struct Collective {
        const char* name;
        at::Tensor numbers;              ///< NCCL uses them until the collective is done
        std::function<bool()> is_ready;  ///< whether this member has computed the collective's input
        std::function<bool()> is_done;
    };

    template <class Call>
    c10::intrusive_ptr<c10d::Work> enqueue(const char* name, const std::vector<at::Tensor>& tensors, Call&& call);

    std::unique_ptr<NcclCommunicator> communicator_;  ///< null once it has ended, or was given away
    std::shared_ptr<DeviceQueue> queue_;
    Patience patience_;
    std::shared_ptr<std::deque<Collective>> pending_ = std::make_shared<std::deque<Collective>>();
};

}  // namespace crescendo::trainer
