#include "trainer/models/model.hpp"

#include <torch/nn/functional/activation.h>
#include <torch/nn/functional/pooling.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "core/check.hpp"
#include "trainer/models/dropout.hpp"

namespace crescendo::trainer {

namespace F = torch::nn::functional;
using torch::nn::Conv2d;
using torch::nn::Conv2dOptions;
using torch::nn::Linear;

namespace {

at::Tensor activate(Activation activation, const at::Tensor& x) {
    switch (activation) {
        case Activation::relu:
            return at::relu(x);
        case Activation::leaky_relu:
            return at::leaky_relu(x);
        case Activation::gelu:
            return at::gelu(x);
        case Activation::silu:
            return at::silu(x);
        case Activation::tanh:
            return at::tanh(x);
    }
    return x;
}

/// The largest of activated values is the activation of the largest one, which costs a quarter.
bool is_monotone(Activation activation) {
    return activation == Activation::relu || activation == Activation::leaky_relu || activation == Activation::tanh;
}

at::Tensor activate_and_pool(Activation activation, const at::Tensor& x) {
    if (is_monotone(activation)) return activate(activation, at::max_pool2d(x, 2));
    return at::max_pool2d(activate(activation, x), 2);
}

/// The weights lie channels last in memory, and the values follow: so oneDNN and cuDNN convolve faster.
Conv2d make_convolution(const Conv2dOptions& options) {
    Conv2d convolution(options);
    // clone, not contiguous: with one channel both orders are the same, and only the strides tell which is meant.
    convolution->weight.set_data(convolution->weight.detach().clone(at::MemoryFormat::ChannelsLast));
    return convolution;
}

std::int64_t num_channels(const std::vector<std::int64_t>& image) { return image.size() == 3 ? image[0] : 1; }

at::Tensor with_channels(const at::Tensor& images) { return images.dim() == 3 ? images.unsqueeze(1) : images; }

class Cnn : public Model {
  public:
    Cnn(const Settings& settings, const Task& task)
        : activation_(settings.activation), dropout_(settings.dropout, /*layer=*/0) {
        const auto& shape = task.input_shape;
        CRESCENDO_EXPECT(shape.size() == 2 || shape.size() == 3);
        const std::int64_t height = shape[shape.size() - 2];
        std::int64_t channels = num_channels(shape);
        for (std::int64_t i = 0; i < settings.depth; ++i) {
            const auto options = Conv2dOptions(channels, settings.width << i, /*kernel_size=*/3).padding(1);
            convolutions_.push_back(register_module("conv" + std::to_string(i + 1), make_convolution(options)));
            channels = settings.width << i;
        }
        const std::int64_t features = channels * (height >> settings.depth) * (shape.back() >> settings.depth);
        hidden_ = register_module("hidden", Linear(features, 8 * settings.width));
        output_ = register_module("output", Linear(8 * settings.width, task.num_outputs));
    }

    at::Tensor forward(const at::Tensor& inputs, const at::Tensor& dropout_keys) override {
        at::Tensor x = with_channels(inputs);
        for (auto& convolution : convolutions_) x = activate_and_pool(activation_, convolution(x));
        x = activate(activation_, hidden_(x.flatten(1)));
        return output_(dropout_(x, dropout_keys));
    }

  private:
    Activation activation_;
    Dropout dropout_;
    std::vector<Conv2d> convolutions_;
    Linear hidden_ = nullptr;
    Linear output_ = nullptr;
};

class Mlp : public Model {
  public:
    Mlp(const Settings& settings, const Task& task) : activation_(settings.activation) {
        std::int64_t features = 1;
        for (const auto length : task.input_shape) features *= length;
        for (std::int64_t i = 0; i < settings.depth; ++i) {
            hidden_.push_back(register_module("hidden" + std::to_string(i + 1), Linear(features, settings.width)));
            dropouts_.emplace_back(settings.dropout, /*layer=*/i);
            features = settings.width;
        }
        output_ = register_module("output", Linear(features, task.num_outputs));
    }

    at::Tensor forward(const at::Tensor& inputs, const at::Tensor& dropout_keys) override {
        at::Tensor x = inputs.reshape({inputs.size(0), -1});
        for (std::size_t i = 0; i < hidden_.size(); ++i) {
            x = dropouts_[i](activate(activation_, hidden_[i](x)), dropout_keys);
        }
        return output_(x);
    }

  private:
    Activation activation_;
    std::vector<Linear> hidden_;
    std::vector<Dropout> dropouts_;
    Linear output_ = nullptr;
};

class Autoencoder : public Model {
  public:
    Autoencoder(const Settings& settings, const Task& task)
        : activation_(settings.activation), dropout_(settings.dropout, /*layer=*/0) {
        std::int64_t channels = num_channels(task.input_shape);
        for (std::int64_t i = 0; i < settings.depth; ++i) {
            const auto options = Conv2dOptions(channels, settings.width << i, /*kernel_size=*/3).stride(2).padding(1);
            down_.push_back(register_module("down" + std::to_string(i + 1), make_convolution(options)));
            channels = settings.width << i;
        }
        code_ = register_module("code", make_convolution(Conv2dOptions(channels, settings.latent, 1)));
        decode_ = register_module("decode", make_convolution(Conv2dOptions(settings.latent, channels, 3).padding(1)));
        for (std::int64_t i = settings.depth; i > 0; --i) {
            const auto next = i > 1 ? settings.width << (i - 2) : num_channels(task.target_shape);
            const auto options = Conv2dOptions(channels, next, /*kernel_size=*/3).padding(1);
            up_.push_back(register_module("up" + std::to_string(i), make_convolution(options)));
            channels = next;
        }
    }

    at::Tensor forward(const at::Tensor& inputs, const at::Tensor& dropout_keys) override {
        at::Tensor x = with_channels(inputs);
        for (auto& convolution : down_) x = activate(activation_, convolution(x));
        x = decode_(dropout_(code_(x), dropout_keys));
        for (auto& convolution : up_) x = convolution(double_size(activate(activation_, x)));
        return x.flatten(1);
    }

  private:
    static at::Tensor double_size(const at::Tensor& x) {
        return at::upsample_nearest2d(x, {2 * x.size(2), 2 * x.size(3)});
    }

    Activation activation_;
    Dropout dropout_;
    std::vector<Conv2d> down_;
    Conv2d code_ = nullptr;
    Conv2d decode_ = nullptr;
    std::vector<Conv2d> up_;
};

}  // namespace

std::shared_ptr<Model> make_model(const Settings& settings, const Task& task) {
    switch (settings.model) {
        case ModelKind::cnn:
            return std::make_shared<Cnn>(settings, task);
        case ModelKind::mlp:
            return std::make_shared<Mlp>(settings, task);
        case ModelKind::autoencoder:
            return std::make_shared<Autoencoder>(settings, task);
    }
    return nullptr;
}

}  // namespace crescendo::trainer
