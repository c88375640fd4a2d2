#pragma once

#include <torch/nn/module.h>

#include <string>
#include <vector>

namespace crescendo::trainer {

/// A network of float32 parameters.
///
/// It may have buffers, such as the running mean and variance of BatchNorm, of any type; they are a part of a trial's
/// state as the parameters are. As in DistributedDataParallel, those of rank 0 count: all members of a group have them
/// when a generation begins, and before each step and each evaluation. A step that fails leaves them as they were.
/// Evaluation runs the network in torch's evaluation mode, everything else in training mode.
///
/// torch's BatchNorm takes the statistics of the samples that a member runs at once, so what such a model learns
/// depends on the size of its group. A SyncBatchNorm takes those of all members' samples. While a step runs, it adds
/// its sums up over the group. So a member with no samples runs such a model too: forward() then gets inputs of no
/// samples.
///
/// A new model is one file: a ModelSpec with its settings, which makes a Model; and one row in models.cpp.
class Model : public torch::nn::Module {
  public:
    /// `inputs` (samples, input shape...) → (samples, num_outputs): logits, or the predicted numbers in the order of
    /// the target's elements. If the samples' dropout_keys are given, units are dropped, as in training.
    virtual at::Tensor forward(const at::Tensor& inputs, const at::Tensor& dropout_keys = {}) = 0;

    /// Whether training drops units, so that it needs dropout_keys.
    virtual bool drops_units() const { return false; }

    /// Whether forward() wants the keys in host memory: of a network that draws from torch's generator, which is seeded
    /// there. Then no step waits for the device.
    virtual bool reads_keys_on_host() const { return false; }

    /// Further names of the parameter `name`, which are none of this module's: those of tied weights. A state dict of
    /// the network may have any of them.
    virtual std::vector<std::string> other_names(const std::string& /*name*/) const { return {}; }
};

}  // namespace crescendo::trainer
