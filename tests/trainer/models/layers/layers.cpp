#include "trainer/models/layers/layers.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

using namespace crescendo::trainer;

TEST_CASE("activating and pooling gives the maximum of the activated values, whichever is done first") {
    const at::Tensor x = at::randn({2, 3, 8, 8});

    for (const auto activation : {Activation::relu, Activation::leaky_relu, Activation::elu, Activation::selu,
                                  Activation::gelu, Activation::silu, Activation::sigmoid, Activation::tanh}) {
        CAPTURE(static_cast<int>(activation));
        CHECK(at::allclose(activate_and_pool(activation, x), at::max_pool2d(activate(activation, x), 2)));
    }
}

TEST_CASE("the activations match the formulas in their papers") {
    const at::Tensor x = at::linspace(-4, 4, 33);
    const at::Tensor exponential = at::where(x > 0, x, at::exp(x) - 1);

    CHECK(at::allclose(activate(Activation::elu, x), exponential));
    // Klambauer et al., "Self-normalizing neural networks", NeurIPS 2017.
    CHECK(at::allclose(activate(Activation::selu, x), 1.0507009873554805 * at::where(x > 0, x, 1.6732632423543772 *
                                                                                             exponential)));
    CHECK(at::allclose(activate(Activation::sigmoid, x), 1 / (1 + at::exp(-x))));
}

TEST_CASE("a convolution's weights are stored channels last, even with a single channel") {
    for (const std::int64_t channels : {1, 3}) {
        const auto convolution = make_convolution(torch::nn::Conv2dOptions(channels, 4, /*kernel_size=*/3));

        CHECK(convolution->weight.strides() == at::IntArrayRef({9 * channels, 1, 3 * channels, channels}));
    }
}

TEST_CASE("images without a channel axis have one channel") {
    CHECK(num_channels({8, 6}) == 1);
    CHECK(num_channels({3, 8, 6}) == 3);
    CHECK(with_channels(at::zeros({5, 8, 6})).sizes() == at::IntArrayRef({5, 1, 8, 6}));
    CHECK(with_channels(at::zeros({5, 3, 8, 6})).sizes() == at::IntArrayRef({5, 3, 8, 6}));
}
