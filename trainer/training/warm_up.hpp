#pragma once

#include "trainer/device/device.hpp"

namespace crescendo::trainer {

/// Trains a tiny model for a step, so that torch's first-use costs (threads, kernels, libraries; 0.1 s and more) arise
/// before the trainer says that it is ready, and not within a regroup.
void warm_up(const Device& device);

}  // namespace crescendo::trainer
