#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "trainer/device/device.hpp"

namespace crescendo::trainer {

namespace {

class CpuDevice : public Device {
  public:
    at::Device place() const override { return at::kCPU; }

    std::pmr::memory_resource& staging_memory() const override { return *std::pmr::new_delete_resource(); }

    at::Tensor upload(const at::Tensor& host) const override { return host; }

    bool idle() const override { return true; }

    void give_back_memory() const override {}

    c10::intrusive_ptr<c10d::ProcessGroup> make_process_group(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                                              int size, const Patience& patience) const override {
        return make_gloo_group(at::kCPU, store, rank, size, patience);
    }

    /// Nothing is pending: Gloo's collectives were already awaited, and threw if they failed.
    bool finish(c10d::ProcessGroup&, const std::function<bool()>&) const override { return true; }

    void dissolve(c10d::ProcessGroup&) const override {}
};

}  // namespace

std::unique_ptr<Device> make_cpu_device() { return std::make_unique<CpuDevice>(); }

}  // namespace crescendo::trainer
