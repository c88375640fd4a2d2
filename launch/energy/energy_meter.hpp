#pragma once

#include <optional>

namespace crescendo::launch {

/// Measures the energy that a device uses.
class EnergyMeter {
  public:
    virtual ~EnergyMeter() = default;

    /// Joules since the meter was created; nothing if it cannot be read.
    virtual std::optional<double> joules() = 0;
};

}  // namespace crescendo::launch
