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
/// LibTorch's own ProcessGroupNCCL keeps threads that watch over its communicators; they sleep for minutes after an
/// error, and a group's end waits for them. This has none. Whoever waits looks for errors.
///
/// One thread at a time uses it. On a GPU collectives only enter the queue, and their failure comes out of finish(); on
/// the host it comes out of the collective. What fails throws NcclError.
class NcclBackend : public c10d::Backend {
  public:
    /// `patience` is that of each collective.
    NcclBackend(std::unique_ptr<NcclCommunicator> communicator, std::shared_ptr<DeviceQueue> queue, int rank, int size,
                Patience patience);
    ~NcclBackend() override;

    const std::string getBackendName() const override { return "nccl"; }

    c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors,
                                             const c10d::AllreduceOptions& options) override;
    c10::intrusive_ptr<c10d::Work> broadcast(std::vector<at::Tensor>& tensors,
                                             const c10d::BroadcastOptions& options) override;

    /// Waits until all collectives so far are done. A peer has the time-out of a collective from when this member was
    /// ready for it: what it computes before may take longer.
    void finish(const std::function<bool()>& give_up);

    /// Ends the communicator, whatever the others do. The backend is not used again.
    void abort() override;

    /// Gives the communicator away, where all that it was asked for was done; else ends it, and returns null. The
    /// backend is not used again.
    std::unique_ptr<NcclCommunicator> release();

  private:
    struct Collective {
        const char* name;
        at::Tensor numbers;              ///< NCCL's until it is done
        std::function<bool()> is_ready;  ///< whether this member has computed what goes into it
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
