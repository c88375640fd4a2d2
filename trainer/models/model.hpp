#pragma once

#include <torch/nn/module.h>

namespace crescendo::trainer {

/// A network of float32 parameters.
///
/// A new model is one file: a ModelSpec with its settings, which makes a Model; and one row in models.cpp.
class Model : public torch::nn::Module {
  public:
    /// `inputs` (samples, input shape...) → (samples, num_outputs): logits, or the predicted numbers in the order of
    /// the target's elements. If the samples' dropout_keys are given, units are dropped, as in training.
    virtual at::Tensor forward(const at::Tensor& inputs, const at::Tensor& dropout_keys = {}) = 0;

    /// Whether training drops units, so that it needs dropout_keys.
    virtual bool drops_units() const { return false; }
};

}  // namespace crescendo::trainer
