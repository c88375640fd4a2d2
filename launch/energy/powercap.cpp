#include "launch/energy/powercap.hpp"

#include <fstream>
#include <string>

#include "core/files/paths_in.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> read_number(const fs::path& file) {
    std::uint64_t number = 0;
    return std::ifstream(file) >> number ? std::optional(number) : std::nullopt;
}

std::string read_word(const fs::path& file) {
    std::string word;
    std::ifstream(file) >> word;
    return word;
}

/// Whether a zone counts. Packages and their memory do not overlap. Cores are a part of their package, and "psys" is
/// the whole board, with all of them.
bool adds_up(const std::string& name) { return name.starts_with("package") || name == "dram"; }

}  // namespace

Powercap::Powercap(const fs::path& folder) {
    for (const auto& zone : paths_in(folder)) {
        const bool is_second_view = zone.filename().string().starts_with("intel-rapl-mmio");
        const auto count = read_number(zone / "energy_uj");
        const auto range = read_number(zone / "max_energy_range_uj");
        if (!is_second_view && count && range && adds_up(read_word(zone / "name"))) {
            zones_.push_back({zone / "energy_uj", *range, *count});
        }
    }
}

std::optional<double> Powercap::joules() {
    for (auto& zone : zones_) {
        if (const auto count = read_number(zone.counter)) {
            microjoules_ += static_cast<double>(*count >= zone.last ? *count - zone.last
                                                                    : *count + (zone.range - zone.last) + 1);
            zone.last = *count;
        }
    }
    return zones_.empty() ? std::nullopt : std::optional(microjoules_ * 1e-6);
}

}  // namespace crescendo::launch
