#include "tests/trainer/device/fake_nccl/fake_nccl_device.hpp"

#include <cstdlib>
#include <fstream>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "tests/trainer/device/fake_nccl/fake_nccl.hpp"
#include "tests/trainer/device/fake_nccl/host_queue.hpp"
#include "tests/trainer/host_device.hpp"
#include "trainer/device/nccl/nccl_backend.hpp"
#include "trainer/device/nccl/nccl_groups.hpp"

namespace crescendo::trainer::test {

namespace {

GpuIdentity new_gpu() {
    const nccl::UniqueId id = new_id();
    const std::string name(id.bytes, sizeof id.bytes);
    return {.uuid = name, .host = "here", .pci_address = name};
}

class FakeNcclDevice : public HostDevice {
  public:
    c10::intrusive_ptr<c10d::ProcessGroup> make_process_group(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                                              int size, const Patience& patience) const override {
        return groups_->make(store, rank, size, patience, at::kCPU, std::make_shared<HostQueue>());
    }

    bool finish(c10d::ProcessGroup& group, const std::function<bool()>& give_up) const override {
        nccl_backend(group)->finish(give_up);
        if (const char* folder = std::getenv("FAKE_NCCL")) {
            std::ofstream(finished_file(folder, group.getRank()), std::ios::app) << "done\n";
        }
        return true;
    }

    void dissolve(c10d::ProcessGroup& group) const override { groups_->end(group); }

    void rest() const override { groups_->rest(); }

  private:
    const std::unique_ptr<NcclGroups> groups_ = std::make_unique<NcclGroups>(fake_library(), new_gpu());
};

}  // namespace

std::unique_ptr<Device> make_fake_nccl_device() { return std::make_unique<FakeNcclDevice>(); }

}  // namespace crescendo::trainer::test
