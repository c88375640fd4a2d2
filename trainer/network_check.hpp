#pragma once

#include <vector>

#include "trainer/data/task.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// Returns how the settings do not fit their network: names of parameters that it lacks, a weights file of another
/// network, and parameters of a user's network that would learn nothing. Makes the network only if one of these must be
/// checked. The task must have no misfits.
std::vector<Problem> misfits_of_network(const Settings& settings, const Task& task);

}  // namespace crescendo::trainer
