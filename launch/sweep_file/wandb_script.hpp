#pragma once

#include <string>

#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// The Python module that runs a script written for W&B as a trial (python/crescendo/wandb.py).
inline constexpr const char* wandb_adapter = "crescendo.wandb";

/// Whether `path` is a Python script that imports wandb, or uses it through Lightning or Hugging Face's Trainer, and
/// does not mention crescendo: crescendo would get none of its reports.
bool speaks_to_wandb_alone(const std::string& path);

bool runs_wandb_adapter(const SweepFile& file);

}  // namespace crescendo::launch
