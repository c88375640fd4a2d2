#include "launch/sweep_file/sections/sweep_simulation.hpp"

namespace crescendo::launch {

simulator::SimulationSpec read_simulation(const YamlSection& section) {
    simulator::SimulationSpec spec;
    std::vector<std::string> names{"slots_per_node"};
    for (const auto& number : simulator::simulation_numbers) {
        names.emplace_back(number.key);
        auto& value = spec.*number.value;
        section.attempt([&] { value = section.number(number.key).value_or(value); });
    }
    section.allow(names);
    section.attempt(
        [&] { spec.slots_per_node = section.small_integer("slots_per_node").value_or(spec.slots_per_node); });
    section.attempt([&] { validate(spec); });
    return spec;
}

}  // namespace crescendo::launch
