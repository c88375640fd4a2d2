#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace crescendo::tests {

/// Writes a zone as Linux shows it in /sys/class/powercap.
inline void write_zone(const std::filesystem::path& zone, const std::string& name, std::uint64_t microjoules,
                       std::uint64_t range = 262'143'328'850) {
    std::filesystem::create_directories(zone);
    std::ofstream(zone / "name") << name << '\n';
    std::ofstream(zone / "energy_uj") << microjoules << '\n';
    std::ofstream(zone / "max_energy_range_uj") << range << '\n';
}

}  // namespace crescendo::tests
