#pragma once

#include <chrono>

#include "trainer/device/device.hpp"
#include "trainer/protocol/control_channel.hpp"

namespace crescendo::trainer {

/// Forms a group with the other `size` - 1 processes that call this, as the workers of a trial do, and adds up numbers
/// with them. Then sends {"type":"group_checked","sum":…,"backend":"Gloo"|"NCCL","seconds":…} with the sum of 1 …
/// `size`. Throws PeerLost if they do not meet within `timeout`.
void check_group(ControlChannel& channel, const Device& device, int rank, int size, std::chrono::milliseconds timeout);

}  // namespace crescendo::trainer
