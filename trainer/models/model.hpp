#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "trainer/data/task.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// A network of float32 parameters, without buffers.
class Model : public torch::nn::Module {
  public:
    /// `inputs` (samples, input shape...) → (samples, num_outputs): logits, or the predicted numbers in the order of
    /// the target's elements. If the samples' dropout_keys are given, units are dropped, as in training.
    virtual at::Tensor forward(const at::Tensor& inputs, const at::Tensor& dropout_keys = {}) = 0;
};

/// Makes a model on the CPU. Its weights come from torch's generator, which the caller seeds before.
///
/// cnn: `depth` times a 3x3 convolution, activation and 2x2 max-pooling, with `width` channels at first
/// and twice as many each time; a hidden layer of 8 x width units; the outputs.
/// mlp: `depth` hidden layers of `width` units; the outputs.
/// autoencoder: `depth` times a 3x3 convolution of stride 2 and activation, with `width` channels at first and twice as
/// many each time; a 1x1 convolution to the code of `latent` channels; back the same way, by a 3x3 convolution and
/// `depth` times nearest neighbours and a 3x3 convolution, with an activation between each two. Dropout follows the
/// activation of fully connected hidden layers, and an autoencoder's code.
std::shared_ptr<Model> make_model(const Settings& settings, const Task& task);

}  // namespace crescendo::trainer
