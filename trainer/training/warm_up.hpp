#pragma once

#include "trainer/device/device.hpp"
#include "trainer/settings/catalogue.hpp"

namespace crescendo::trainer {

/// Trains a tiny model, the first of the catalogue, for a step. So torch's first-use costs (threads, kernels,
/// libraries; 0.1 s and more) arise before the trainer says that it is ready, and not within a regroup.
void warm_up(const Device& device, const Catalogue& catalogue);

}  // namespace crescendo::trainer
