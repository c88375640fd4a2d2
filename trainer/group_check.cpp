#include "trainer/group_check.hpp"

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "core/trial_protocol.hpp"
#include "trainer/group/group.hpp"
#include "trainer/protocol/control_store.hpp"

namespace crescendo::trainer {

void check_group(ControlChannel& channel, const Device& device, int rank, int size, std::chrono::milliseconds timeout) {
    const auto start = std::chrono::steady_clock::now();
    const auto store = c10::make_intrusive<ControlStore>(channel, /*trial=*/0, /*generation=*/0, timeout);
    const Group group(device, store, {rank, size, timeout, [&] { return channel.interrupted(); }});
    const auto sum = group.sum({rank + 1.0}).front();
    const bool nccl = group.process_group()->getBackendType() == c10d::ProcessGroup::BackendType::NCCL;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    channel.send({{"type", protocol::type::group_checked},
                  {"sum", sum},
                  {"backend", nccl ? "NCCL" : "Gloo"},
                  {"seconds", seconds.count()}});
    channel.wait(timeout);  // until the channel closes, when all members have the sum
}

}  // namespace crescendo::trainer
