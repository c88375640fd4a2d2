#pragma once

#include "launch/yaml/yaml_section.hpp"
#include "simulator/simulation_spec.hpp"

namespace crescendo::launch {

/// Reads and checks `simulate:` of a sweep file.
simulator::SimulationSpec read_simulation(const YamlSection& section);

}  // namespace crescendo::launch
