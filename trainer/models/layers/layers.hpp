#pragma once

#include <torch/nn/modules/conv.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "core/words.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

enum class Activation { relu, leaky_relu, elu, selu, gelu, silu, sigmoid, tanh };

/// The words of the setting `activation`, which are also torch's names in torch.nn.functional.
inline constexpr Words activations{{std::pair{Activation::relu, "relu"},
                                    {Activation::leaky_relu, "leaky_relu"},
                                    {Activation::elu, "elu"},
                                    {Activation::selu, "selu"},
                                    {Activation::gelu, "gelu"},
                                    {Activation::silu, "silu"},
                                    {Activation::sigmoid, "sigmoid"},
                                    {Activation::tanh, "tanh"}}};

/// Reads the setting `activation`.
void read_activation(Section& section, Activation& activation);

at::Tensor activate(Activation activation, const at::Tensor& x);

/// Applies the activation to images, then 2x2 max-pooling.
at::Tensor activate_and_pool(Activation activation, const at::Tensor& x);

/// The first layer of a residual network: a 3x3 convolution for small images, or the large one of the paper.
enum class Stem { small, large };

/// The words of the setting `stem`.
inline constexpr Words stems{{std::pair{Stem::small, "small"}, {Stem::large, "large"}}};

/// Makes a convolution whose weights are channels-last in memory, so that its outputs are too: oneDNN and cuDNN are
/// faster then.
torch::nn::Conv2d make_convolution(const torch::nn::Conv2dOptions& options);

/// Number of channels of images of this shape; 1 if it is only height x width.
std::int64_t num_channels(const std::vector<std::int64_t>& image);

/// (samples, height, width) → (samples, 1, height, width); images with channels stay as they are.
at::Tensor with_channels(const at::Tensor& images);

}  // namespace crescendo::trainer
