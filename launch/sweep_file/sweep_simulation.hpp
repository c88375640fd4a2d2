#pragma once

#include "launch/sweep_file/yaml_section.hpp"
#include "simulator/simulation_spec.hpp"

namespace crescendo::launch {

/// `simulate:` of a sweep file, valid.
simulator::SimulationSpec read_simulation(const YamlSection& section);

}  // namespace crescendo::launch
