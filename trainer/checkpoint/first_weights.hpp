#pragma once

#include "trainer/training/trial.hpp"

namespace crescendo::trainer {

/// Gives a new trial's network the weights and buffers of the file that the settings name (`init_from`), and begins the
/// moving average with them. Without such a file it does nothing.
///
/// The file is a checkpoint of crescendo-trainer, of which it takes the averages where there are some; a state dict
/// that torch.save wrote in Python, alone or in a dict as "model", "state_dict" or "model_state_dict"; or safetensors.
/// Names may begin with "module.", as DistributedDataParallel has them. File and network must have the same names and
/// shapes, but for what `init_except` names and the counters of norms.
///
/// Throws InvalidInput that names the file and what does not fit.
void take_first_weights(Trial& trial);

}  // namespace crescendo::trainer
