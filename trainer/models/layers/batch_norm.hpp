#pragma once

#include <torch/nn/modules/batchnorm.h>

#include <cstdint>

namespace crescendo::trainer {

/// Batch normalization (Ioffe and Szegedy, ICML 2015) of (samples, channels, ...): torch's, to the last bit.
///
/// But where a channel has a single value, torch refuses to train. This one normalises by the running statistics then,
/// and learns nothing for them. The last batch of an epoch may be a single small image, or come to that when a group
/// shares it out; a trial should not end for it.
///
/// Parameters and buffers have the names of torch::nn::BatchNorm2d.
class BatchNorm : public torch::nn::BatchNormImplBase<2, BatchNorm> {
  public:
    explicit BatchNorm(std::int64_t channels) : BatchNormImplBase(torch::nn::BatchNormOptions(channels)) {}

    at::Tensor forward(const at::Tensor& x);

  protected:
    void _check_input_dim(const at::Tensor& x) override;
};

}  // namespace crescendo::trainer
