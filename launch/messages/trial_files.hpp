#pragma once

#include "core/trial_protocol.hpp"

/// Names of Crescendo's files in a trial's folder; programs choose other names. Trainers also use these names for the
/// log and the checkpoint, and programs for the parameters.
namespace crescendo::launch::trial_files {

using protocol::trial_files::checkpoint;
using protocol::trial_files::log;

inline constexpr const char* parameters = "params.json";  ///< the trial's configuration
inline constexpr const char* latency = "latency.json";    ///< the measurement by `crescendo latency`

}  // namespace crescendo::launch::trial_files
