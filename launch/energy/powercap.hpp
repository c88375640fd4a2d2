#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "launch/energy/energy_meter.hpp"

namespace crescendo::launch {

/// Energy of this node's processors and their memory, from RAPL as Linux shows it (Documentation/power/powercap). It
/// includes all processes of the node. Only root may read it, unless the site permits more.
class Powercap final : public EnergyMeter {
  public:
    /// `folder`: where Linux shows the counters, /sys/class/powercap.
    explicit Powercap(const std::filesystem::path& folder);

    /// The counters wrap around after 20 minutes or more, so call this more often than that.
    std::optional<double> joules() override;

  private:
    /// A processor, or its memory.
    struct Zone {
        std::filesystem::path counter;  ///< file with the counter, in microjoules
        std::uint64_t range = 0;        ///< largest value of the counter in microjoules, after which it restarts at 0
        std::uint64_t last = 0;
    };

    std::vector<Zone> zones_;
    double microjoules_ = 0;
};

}  // namespace crescendo::launch
