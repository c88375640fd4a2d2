#include "simulator/simulation_spec.hpp"

#include <string>

#include "core/check.hpp"

namespace crescendo::simulator {
namespace {

void check_range(double value, const char* name, double min, double max) {
    CRESCENDO_VALIDATE(value >= min && value <= max, std::string("simulate.") + name,
                       "{} is {}; use a number from {} to {}", name, value, min, max);
}

}  // namespace

void validate(const SimulationSpec& spec) {
    for (const auto& [key, value, min, max] : simulation_numbers) {
        check_range(spec.*value, key, min, max);
    }
    check_range(spec.slots_per_node, "slots_per_node", 1, 1e6);
}

}  // namespace crescendo::simulator
