#pragma once

#include <torch/nn/module.h>

#include <string>
#include <vector>

namespace crescendo::trainer {

/// A network of float32 parameters.
///
/// It may have buffers of any type, such as the running mean and variance of BatchNorm. Like parameters, they are part
/// of a trial's state. As in DistributedDataParallel, rank 0's buffers count: all members of a group get them when a
/// generation begins, and before each step and each evaluation. A step that fails leaves them unchanged. Evaluation
/// runs the network in torch's evaluation mode, everything else in training mode.
///
/// torch's BatchNorm uses the statistics of the samples that one member runs at once, so the results of such a model
/// depend on the size of its group. A SyncBatchNorm uses the samples of all members, and sums over the group in each
/// step. So a member without samples must run such a model too: forward() then gets an empty batch.
///
/// To add a model, write one file with a ModelSpec, which reads its settings and makes the Model, and add one row in
/// models.cpp.
class Model : public torch::nn::Module {
  public:
    /// `inputs` (samples, input shape...) → (samples, num_outputs): logits, or the predicted numbers in the order of
    /// the target's elements. If the samples' dropout_keys are given, units are dropped, as in training.
    virtual at::Tensor forward(const at::Tensor& inputs, const at::Tensor& dropout_keys = {}) = 0;

    /// Whether training drops units, and so forward() needs dropout_keys.
    virtual bool drops_units() const { return false; }

    /// Whether forward() takes the keys in host memory. A network that draws from torch's generator does, because the
    /// generator is seeded on the host: so no step waits for the device.
    virtual bool reads_keys_on_host() const { return false; }

    /// Other names of the parameter `name` that this module does not list itself, because of tied weights. A state dict
    /// of the network may use any of them.
    virtual std::vector<std::string> other_names(const std::string& /*name*/) const { return {}; }
};

}  // namespace crescendo::trainer
