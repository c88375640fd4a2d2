#include <algorithm>
#include <cstdlib>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "trainer/device/device.hpp"

namespace crescendo::trainer {

c10::intrusive_ptr<c10d::ProcessGroup> make_gloo_group(at::DeviceType type,
                                                       const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                                                       const Patience& patience) {
    const auto timeout = std::chrono::duration_cast<std::chrono::milliseconds>(patience.timeout);
    // Members connect after all are in the store, so live members connect at once. If a member has died since, Gloo
    // retries the connection, and blocks the others, which cannot take orders, for this time-out on each try.
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
