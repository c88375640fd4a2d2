#pragma once

#include "trainer/training/trial.hpp"

namespace crescendo::trainer {

/// Loads the weights and buffers of the file `init_from` into a new trial's network, and starts the moving average from
/// them. Does nothing if the settings name no file.
///
/// The file is a checkpoint of crescendo-trainer, whose averages are used if it has any; a state dict that torch.save
/// wrote in Python, alone or in a dict as "model", "state_dict" or "model_state_dict"; or safetensors. Names may begin
/// with "module.", as DistributedDataParallel writes them. File and network must have the same names and shapes, except
/// for the tensors that `init_except` names and the counters of norms.
///
/// Throws InvalidInput that names the file and the mismatch.
void take_first_weights(Trial& trial);

}  // namespace crescendo::trainer
