#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "launch/energy/energy_meter.hpp"

namespace crescendo::launch {

/// The processors of this node with their memory: RAPL, as Linux shows it (Documentation/power/powercap). All processes
/// of the node are in it. Linux lets only root read it, unless the site permits more.
class Powercap final : public EnergyMeter {
  public:
    /// `folder`: where Linux shows it, /sys/class/powercap.
    explicit Powercap(const std::filesystem::path& folder);

    /// Counters wrap around, after 20 minutes and more. So it must be called more often than that.
    std::optional<double> joules() override;

  private:
    /// A processor, or its memory.
    struct Zone {
        std::filesystem::path counter;  ///< file with the number of microjoules
        std::uint64_t range = 0;        ///< greatest number of microjoules, after which the counter begins at 0
        std::uint64_t last = 0;
    };

    std::vector<Zone> zones_;
    double microjoules_ = 0;
};

}  // namespace crescendo::launch
