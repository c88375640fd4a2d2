#pragma once

#include <vector>

#include "trainer/data/task.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// What of the settings does not fit the network that they make: names of parameters that it lacks, a file of weights
/// that are another's; and which parameter of a user's network would learn nothing. Makes the network only where one of
/// these is to be looked at. The task has no misfits.
std::vector<Problem> misfits_of_network(const Settings& settings, const Task& task);

}  // namespace crescendo::trainer
