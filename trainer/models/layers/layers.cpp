#include "trainer/models/layers/layers.hpp"

#include <ATen/ATen.h>

#include "trainer/models/layers/pooling.hpp"

namespace crescendo::trainer {

namespace {

/// For a monotone activation, max-pooling before the activation gives the same result at a quarter of the cost.
bool is_monotone(Activation activation) {
    return activation != Activation::gelu && activation != Activation::silu;
}

}  // namespace

void read_activation(Section& section, Activation& activation) {
    section.choice("activation", activation, activations);
}

at::Tensor activate(Activation activation, const at::Tensor& x) {
    switch (activation) {
        case Activation::relu:
            return at::relu(x);
        case Activation::leaky_relu:
            return at::leaky_relu(x);
        case Activation::elu:
            return at::elu(x);
        case Activation::selu:
            return at::selu(x);
        case Activation::gelu:
            return at::gelu(x);
        case Activation::silu:
            return at::silu(x);
        case Activation::sigmoid:
            return at::sigmoid(x);
        case Activation::tanh:
            return at::tanh(x);
    }
    return x;
}

at::Tensor activate_and_pool(Activation activation, const at::Tensor& x) {
    if (activation == Activation::relu) {
        return max_pool_relu(x);
    }
    return is_monotone(activation) ? activate(activation, max_pool(x)) : max_pool(activate(activation, x));
}

torch::nn::Conv2d make_convolution(const torch::nn::Conv2dOptions& options) {
    torch::nn::Conv2d convolution(options);
    // clone() instead of contiguous(): with one channel both orders are the same, and only the strides distinguish
    // them.
    convolution->weight.set_data(convolution->weight.detach().clone(at::MemoryFormat::ChannelsLast));
    return convolution;
}

std::int64_t num_channels(const std::vector<std::int64_t>& image) { return image.size() == 3 ? image[0] : 1; }

at::Tensor with_channels(const at::Tensor& images) { return images.dim() == 3 ? images.unsqueeze(1) : images; }

}  // namespace crescendo::trainer
