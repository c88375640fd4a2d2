#include <algorithm>
#include <cstdlib>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "trainer/device/device.hpp"

namespace crescendo::trainer {

c10::intrusive_ptr<c10d::ProcessGroup> make_gloo_group(at::DeviceType type,
                                                       const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                                                       const Patience& patience) {
    const auto timeout = std::chrono::duration_cast<std::chrono::milliseconds>(patience.timeout);
    // Members connect once all are in the store, so those that live do it at once. One that died meanwhile would hold
    // the others up, deaf to orders, for as long as Gloo waits for a connection, which it tries several times.
    constexpr std::chrono::milliseconds to_connect{2000};
    const char* interface = std::getenv("GLOO_SOCKET_IFNAME");
    auto options = c10d::ProcessGroupGloo::Options::create(std::min(timeout, to_connect));
    options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForInterface(interface ? interface : "lo"));
    auto gloo = c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, size, std::move(options));
    gloo->setTimeout(timeout);

    auto group = c10::make_intrusive<c10d::ProcessGroup>(store, rank, size);
    group->setBackend(type, c10d::ProcessGroup::BackendType::GLOO, gloo);
    group->setDefaultBackend(c10d::ProcessGroup::BackendType::GLOO);
    return group;
}

}  // namespace crescendo::trainer
