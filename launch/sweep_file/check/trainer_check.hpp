#pragma once

#include <string>
#include <vector>

#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// Has a trainer say what is wrong with its settings, and what it remarks on (docs/trial-protocol.md, `--check`). It is
/// told values that stand for all that a trial can have. `key` is what in the file names the trainer.
void ask_trainer(SweepFile& file, const std::vector<std::string>& command, const char* key, Mistakes& mistakes);

/// The same of the trainer that comes with Crescendo.
void check_trainer(SweepFile& file, const std::string& trainer, Mistakes& mistakes);

}  // namespace crescendo::launch
