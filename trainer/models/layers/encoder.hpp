#pragma once

#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "trainer/models/layers/layers.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

struct EncoderSettings {
    std::int64_t width = 64;  ///< length of a token's vector
    std::int64_t depth = 4;   ///< layers
    std::int64_t heads = 4;   ///< attention heads; they share the width
    Activation activation = Activation::gelu;
};

/// Reads the settings `width`, `depth`, `heads` and `activation`.
void read_encoder(Section& section, EncoderSettings& settings);

/// The settings as arguments of the encoder in Python.
nlohmann::ordered_json arguments_of(const EncoderSettings& settings);

/// Returns why an encoder with these settings is impossible.
std::vector<Problem> misfits_of_encoder(const EncoderSettings& settings);

class EncoderLayer;

/// The encoder of a transformer (Vaswani et al., NeurIPS 2017) with normalization before each layer and learned
/// position embeddings. Its parameters have the names of torchvision's vision transformer.
class Encoder : public torch::nn::Module {
  public:
    Encoder(const EncoderSettings& settings, std::int64_t num_tokens);

    /// (samples, num_tokens, width) → the same shape.
    at::Tensor forward(const at::Tensor& tokens);

  private:
    at::Tensor positions_;
    std::vector<std::shared_ptr<EncoderLayer>> layers_;
    torch::nn::LayerNorm norm_ = nullptr;
};

}  // namespace crescendo::trainer
