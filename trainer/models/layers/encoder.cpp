#include "trainer/models/layers/encoder.hpp"

#include <ATen/ATen.h>
#include <torch/nn/init.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/check.hpp"

namespace crescendo::trainer {

using torch::nn::LayerNorm;
using torch::nn::LayerNormOptions;
using torch::nn::Linear;

namespace {

LayerNorm make_norm(std::int64_t width) { return LayerNorm(LayerNormOptions({width}).eps(1e-6)); }

/// Self-attention, equal to torch's MultiheadAttention.
class Attention : public torch::nn::Module {
  public:
    Attention(std::int64_t width, std::int64_t heads)
        : heads_(heads),
          in_weight_(register_parameter("in_proj_weight", at::empty({3 * width, width}))),
          in_bias_(register_parameter("in_proj_bias", at::zeros({3 * width}))),
          out_(register_module("out_proj", Linear(width, width))) {
        torch::nn::init::xavier_uniform_(in_weight_);
        torch::nn::init::zeros_(out_->bias);
    }

    at::Tensor forward(const at::Tensor& tokens) {
        const auto samples = tokens.size(0);
        const auto length = tokens.size(1);
        // (3, samples, heads, tokens, numbers of a head)
        const at::Tensor parts = at::linear(tokens, in_weight_, in_bias_)
                                     .view({samples, length, 3, heads_, tokens.size(2) / heads_})
                                     .permute({2, 0, 3, 1, 4});
        const at::Tensor mixed = at::scaled_dot_product_attention(parts[0], parts[1], parts[2]);
        return out_(mixed.transpose(1, 2).reshape(tokens.sizes()));
    }

  private:
    std::int64_t heads_;
    at::Tensor in_weight_;
    at::Tensor in_bias_;
    Linear out_;
};

/// Two fully connected layers; the hidden one is four times as wide.
class FeedForward : public torch::nn::Module {
  public:
    FeedForward(std::int64_t width, Activation activation)
        : activation_(activation),
          hidden_(register_module("0", Linear(width, 4 * width))),
          output_(register_module("3", Linear(4 * width, width))) {}

    at::Tensor forward(const at::Tensor& x) { return output_(activate(activation_, hidden_(x))); }

  private:
    Activation activation_;
    Linear hidden_;
    Linear output_;
};

}  // namespace

class EncoderLayer : public torch::nn::Module {
  public:
    explicit EncoderLayer(const EncoderSettings& settings)
        : norm1_(register_module("ln_1", make_norm(settings.width))),
          attention_(register_module("self_attention", std::make_shared<Attention>(settings.width, settings.heads))),
          norm2_(register_module("ln_2", make_norm(settings.width))),
          feed_forward_(register_module("mlp", std::make_shared<FeedForward>(settings.width, settings.activation))) {}

    at::Tensor forward(const at::Tensor& tokens) {
        const at::Tensor x = tokens + attention_->forward(norm1_(tokens));
        return x + feed_forward_->forward(norm2_(x));
    }

  private:
    LayerNorm norm1_;
    std::shared_ptr<Attention> attention_;
    LayerNorm norm2_;
    std::shared_ptr<FeedForward> feed_forward_;
};

Encoder::Encoder(const EncoderSettings& settings, std::int64_t num_tokens)
    : positions_(register_parameter("pos_embedding", at::randn({1, num_tokens, settings.width}) * 0.02)) {
    const auto layers = register_module("layers", std::make_shared<torch::nn::Module>());
    for (std::int64_t i = 0; i < settings.depth; ++i) {
        layers_.push_back(layers->register_module("encoder_layer_" + std::to_string(i),
                                                  std::make_shared<EncoderLayer>(settings)));
    }
    norm_ = register_module("ln", make_norm(settings.width));
}

at::Tensor Encoder::forward(const at::Tensor& tokens) {
    at::Tensor x = tokens + positions_;
    for (const auto& layer : layers_) {
        x = layer->forward(x);
    }
    return norm_(x);
}

void read_encoder(Section& section, EncoderSettings& settings) {
    section.integer("width", settings.width, 1, 1 << 20);
    section.integer("depth", settings.depth, 0, 256);
    section.integer("heads", settings.heads, 1, 1 << 10);
    read_activation(section, settings.activation);
}

nlohmann::ordered_json arguments_of(const EncoderSettings& settings) {
    return {{"width", settings.width},
            {"depth", settings.depth},
            {"heads", settings.heads},
            {"activation", activations.of(settings.activation)}};
}

std::vector<Problem> misfits_of_encoder(const EncoderSettings& settings) {
    if (settings.width % settings.heads == 0) {
        return {};
    }
    return {
        {"trainer.heads", text("{} heads cannot share a width of {}; use a multiple of the number of heads as width",
                               settings.heads, settings.width)}};
}

}  // namespace crescendo::trainer
