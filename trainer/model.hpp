#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "trainer/settings.hpp"
#include "trainer/task.hpp"

namespace crescendo::trainer {

/// A network of float32 parameters, without buffers.
class Model : public torch::nn::Module {
  public:
    /// `inputs` (samples, input shape...) → (samples, num_outputs): logits, or the predicted numbers.
    virtual at::Tensor forward(const at::Tensor& inputs) = 0;
};

/// A model on the CPU whose weights come from torch's generator as it stands: seed it before.
///
/// cnn: `depth` times a 3x3 convolution, activation and 2x2 max-pooling, with `width` channels at first
/// and twice as many each time; a hidden layer of 8 x width units; the outputs.
/// mlp: `depth` hidden layers of `width` units; the outputs.
/// Dropout follows the activation of fully connected hidden layers.
std::shared_ptr<Model> make_model(const Settings& settings, const Task& task);

}  // namespace crescendo::trainer
