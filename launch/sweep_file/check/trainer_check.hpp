#pragma once

#include <string>
#include <vector>

#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// Asks a trainer which of its settings are wrong, and for its remarks (docs/trial-protocol.md, `--check`). It is given
/// values that represent everything a trial can have. `key` is the key that names the trainer in the file.
void ask_trainer(SweepFile& file, const std::vector<std::string>& command, const char* key, Mistakes& mistakes);

/// As ask_trainer(), for the trainer that comes with Crescendo.
void check_trainer(SweepFile& file, const std::string& trainer, Mistakes& mistakes);

}  // namespace crescendo::launch
