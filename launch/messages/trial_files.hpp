#pragma once

/// Names of the files in a trial's folder, apart from those that its program chooses. Trainers know the log and the
/// checkpoint by the same names, programs the parameters.
namespace crescendo::launch::trial_files {

inline constexpr const char* parameters = "params.json";    ///< the trial's configuration
inline constexpr const char* log = "trainer.log";           ///< what its program or trainers printed
inline constexpr const char* checkpoint = "checkpoint.pt";  ///< that of a warm trainer
inline constexpr const char* latency = "latency.json";      ///< what `crescendo latency` measured

}  // namespace crescendo::launch::trial_files
