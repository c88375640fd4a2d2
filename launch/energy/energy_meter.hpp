#pragma once

#include <optional>

namespace crescendo::launch {

/// Counts the energy that a device takes.
class EnergyMeter {
  public:
    virtual ~EnergyMeter() = default;

    /// Joules since the meter was made; nothing if it cannot be read.
    virtual std::optional<double> joules() = 0;
};

}  // namespace crescendo::launch
