#pragma once

#include "trainer/device/device.hpp"
#include "trainer/settings/catalogue.hpp"

namespace crescendo::trainer {

/// Trains a tiny instance of the catalogue's first model for one step. So torch's first-use costs (threads, kernels,
/// libraries; 0.1 s and more) arise before the trainer reports that it is ready, not during a regroup.
void warm_up(const Device& device, const Catalogue& catalogue);

}  // namespace crescendo::trainer
