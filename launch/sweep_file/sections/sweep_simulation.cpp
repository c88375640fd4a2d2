#include "launch/sweep_file/sections/sweep_simulation.hpp"

namespace crescendo::launch {

simulator::SimulationSpec read_simulation(const YamlSection& section) {
    simulator::SimulationSpec spec;
    const std::vector<std::pair<std::string, double*>> numbers{
        {"epoch", &spec.epoch},
        {"spread", &spec.spread},
        {"serial", &spec.serial},
        {"loss_per_doubling", &spec.loss_per_doubling},
        {"communication", &spec.communication},
        {"straggler_share", &spec.straggler_share},
        {"straggler_factor", &spec.straggler_factor},
        {"failures", &spec.failures},
        {"start", &spec.start},
        {"regroup", &spec.regroup},
        {"checkpoint", &spec.checkpoint},
        {"evaluation", &spec.evaluation},
        {"noise", &spec.noise},
        {"samples", &spec.samples},
        {"batch", &spec.batch},
        {"noise_scale", &spec.noise_scale},
        {"noise_growth", &spec.noise_growth},
        {"step_noise", &spec.step_noise},
    };
    std::vector<std::string> names{"slots_per_node"};
    for (const auto& [name, number] : numbers) {
        names.push_back(name);
        section.attempt([&, &name = name, number = number] { *number = section.number(name).value_or(*number); });
    }
    section.allow(names);
    section.attempt(
        [&] { spec.slots_per_node = section.small_integer("slots_per_node").value_or(spec.slots_per_node); });
    section.attempt([&] { validate(spec); });
    return spec;
}

}  // namespace crescendo::launch
