// A model and a loss for crescendo-trainer. docs/your-own-model.md describes how to use them.
#include <ATen/ATen.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>

#include <cmath>
#include <crescendo/model_plugin.hpp>

namespace {

using namespace crescendo::plugin;

/// Hidden layers with gates, which let a part of their values through, and with BatchNorm and dropout.
class Gated : public Model {
  public:
    Gated(const Config& options, const Task& task) : dropout_(options.number("dropout")) {
        std::int64_t features = 1;
        for (const auto length : task.input_shape) {
            features *= length;
        }
        if (features > 1'000'000) {
            throw Misfit("a sample has " + std::to_string(features) + " numbers, but gated takes at most a million");
        }
        const auto width = options.integer("width");
        for (std::int64_t i = 0; i < options.integer("depth"); ++i) {
            const auto number = std::to_string(i + 1);
            layers_.push_back({register_module("values" + number, torch::nn::Linear(features, width)),
                               register_module("gate" + number, torch::nn::Linear(features, width)),
                               register_module("norm" + number, torch::nn::BatchNorm1d(width))});
            features = width;
        }
        output_ = register_module("output", torch::nn::Linear(features, task.num_outputs));
    }

    at::Tensor forward(const at::Tensor& inputs) override {
        at::Tensor x = inputs.flatten(1);
        for (auto& [values, gate, norm] : layers_) {
            x = at::dropout(norm(values(x) * gate(x).sigmoid()), dropout_, is_training());
        }
        return output_(x);
    }

  private:
    struct Layer {
        torch::nn::Linear values;
        torch::nn::Linear gate;
        torch::nn::BatchNorm1d norm;
    };

    double dropout_;
    std::vector<Layer> layers_;
    torch::nn::Linear output_ = nullptr;
};

/// The logarithm of the hyperbolic cosine of the error: quadratic for errors below `scale`, linear above.
at::Tensor log_cosh(const at::Tensor& outputs, const at::Tensor& targets, const Config& options) {
    const double scale = options.number("scale");
    const at::Tensor error = ((outputs - targets) / scale).abs();
    return (scale * (error + at::softplus(-2 * error) - std::log(2.0))).mean(1);
}

}  // namespace

CRESCENDO_MODEL_PLUGIN(register_model("gated", make<Gated>,
                                      {integer("width", 64, 1, 4096), integer("depth", 1, 0, 64),
                                       number("dropout", 0.0, 0.0, 1.0)}),
                       register_loss("log_cosh", log_cosh, {number("scale", 1.0, 1e-6)}))
