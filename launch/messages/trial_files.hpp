#pragma once

#include "core/trial_protocol.hpp"

/// Names of the files in a trial's folder, apart from those that its program chooses. Trainers know the log and the
/// checkpoint by the same names, programs the parameters.
namespace crescendo::launch::trial_files {

using protocol::trial_files::checkpoint;
using protocol::trial_files::log;

inline constexpr const char* parameters = "params.json";  ///< the trial's configuration
inline constexpr const char* latency = "latency.json";    ///< what `crescendo latency` measured

}  // namespace crescendo::launch::trial_files
