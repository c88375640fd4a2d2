#pragma once

#include <torch/nn/modules/batchnorm.h>

#include <cstdint>

namespace crescendo::trainer {

/// Batch normalization (Ioffe and Szegedy, ICML 2015) of (samples, channels, ...), with results equal to torch's to the
/// last bit.
///
/// If a channel has a single value, torch refuses to train. This class then normalises by the running statistics and
/// leaves them unchanged. The last batch of an epoch, or a member's share of it, may be a single small image, and a
/// trial should not fail because of that.
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
