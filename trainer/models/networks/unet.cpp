#include "trainer/models/networks/models.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "trainer/data/shapes.hpp"
#include "trainer/data/task.hpp"
#include "trainer/models/layers/dropout.hpp"
#include "trainer/models/layers/image_inputs.hpp"
#include "trainer/models/layers/layers.hpp"
#include "trainer/models/layers/norms.hpp"
#include "trainer/models/layers/pooling.hpp"
#include "trainer/models/model.hpp"
#include "trainer/models/networks/network_spec.hpp"
#include "trainer/models/python_network.hpp"

namespace crescendo::trainer {

using torch::nn::Conv2d;
using torch::nn::Conv2dOptions;
using torch::nn::ConvTranspose2d;
using torch::nn::ConvTranspose2dOptions;

namespace {

struct UnetSettings {
    std::int64_t width = 16;
    std::int64_t depth = 2;
    Norm norm = Norm::batch;
    Activation activation = Activation::relu;
    double dropout = 0.0;
};

/// Two convolutions with their norms.
class DoubleConvolution : public torch::nn::Module {
  public:
    DoubleConvolution(std::int64_t from, std::int64_t to, const UnetSettings& settings)
        : activation_(settings.activation) {
        add(from, to, settings.norm);
        add(to, to, settings.norm);
    }

    at::Tensor forward(const at::Tensor& inputs) {
        at::Tensor x = inputs;
        for (std::size_t i = 0; i < convolutions_.size(); ++i) {
            x = convolutions_[i](x);
            x = activate(activation_, norms_[i](x));
        }
        return x;
    }

  private:
    void add(std::int64_t from, std::int64_t to, Norm norm) {
        const std::string number = std::to_string(convolutions_.size() + 1);
        const auto options = Conv2dOptions(from, to, /*kernel_size=*/3).padding(1).bias(norm == Norm::none);
        convolutions_.push_back(register_module("conv" + number, make_convolution(options)));
        norms_.emplace_back(*this, "norm" + number, norm, to);
    }

    Activation activation_;
    std::vector<Conv2d> convolutions_;
    std::vector<ChannelNorm> norms_;
};

class Unet : public Model {
  public:
    Unet(const UnetSettings& settings, const Task& task) : dropout_(settings.dropout, /*layer=*/0) {
        std::int64_t from = num_channels(task.input_shape);
        for (std::int64_t i = 0; i <= settings.depth; ++i) {
            const auto to = settings.width << i;
            down_.push_back(
                register_module("down" + std::to_string(i), std::make_shared<DoubleConvolution>(from, to, settings)));
            from = to;
        }
        for (std::int64_t i = settings.depth; i > 0; --i) {
            const auto to = settings.width << (i - 1);
            const auto options = ConvTranspose2dOptions(2 * to, to, /*kernel_size=*/2).stride(2);
            wider_.push_back(register_module("wider" + std::to_string(i), ConvTranspose2d(options)));
            up_.push_back(
                register_module("up" + std::to_string(i), std::make_shared<DoubleConvolution>(2 * to, to, settings)));
        }
        output_ = register_module("output",
                                  make_convolution(Conv2dOptions(settings.width, num_channels(task.target_shape), 1)));
    }

    at::Tensor forward(const at::Tensor& inputs, const at::Tensor& dropout_keys) override {
        std::vector<at::Tensor> passed;
        at::Tensor x = down_[0]->forward(with_channels(inputs));
        for (std::size_t i = 1; i < down_.size(); ++i) {
            passed.push_back(x);
            x = down_[i]->forward(max_pool(x));
        }
        x = dropout_(x, dropout_keys);
        for (std::size_t i = 0; i < up_.size(); ++i) {
            x = up_[i]->forward(at::cat({passed[passed.size() - 1 - i], wider_[i](x)}, 1));
        }
        return output_(x).flatten(1);
    }

    bool drops_units() const override { return dropout_.drops(); }

  private:
    Dropout dropout_;
    std::vector<std::shared_ptr<DoubleConvolution>> down_;
    std::vector<ConvTranspose2d> wider_;
    std::vector<std::shared_ptr<DoubleConvolution>> up_;
    Conv2d output_ = nullptr;
};

class UnetSpec : public NetworkSpec<Unet, UnetSettings> {
  public:
    explicit UnetSpec(Section& section) {
        section.integer("width", settings_.width, 1, 1 << 16);
        section.integer("depth", settings_.depth, 1, 12);
        read_norm(section, settings_.norm);
        read_activation(section, settings_.activation);
        read_dropout(section, settings_.dropout);
    }

    std::vector<Problem> misfits(const datasets::SampleSet& samples, const DataSettings& data,
                                 const std::string& data_key) const override {
        auto problems = misfits_of_images(samples, data, data_key, name, "use `model: mlp`");
        if (!problems.empty()) {
            return problems;
        }
        if (samples.targets().size() == 0) {
            return {};  // no model can learn from that
        }
        const auto inputs = joined_shape(samples.inputs());
        const auto targets = joined_shape(samples.targets());
        if (!is_image(targets) || !std::equal(targets.end() - 2, targets.end(), inputs.end() - 2)) {
            return {{data_key, text("{}: a target is {}, but the {} outputs fields with the inputs' height and width "
                                    "({}); use another model",
                                    samples.location(), shape_text(targets), name, shape_text(inputs))}};
        }
        const auto multiple = std::int64_t{1} << settings_.depth;
        if (inputs[inputs.size() - 2] % multiple != 0 || inputs.back() % multiple != 0) {
            problems.push_back({"trainer.depth", text("{} does not fit the {} inputs of {}, whose height and width "
                                                      "cannot both be halved {} times; use less, or {}",
                                                      settings_.depth, shape_text(inputs), samples.location(),
                                                      settings_.depth, remedy_for_size(inputs, multiple))});
        }
        return problems;
    }

    std::string write_network(const Model&, const Task& task, const std::filesystem::path& folder) const override {
        return write_python_network(folder, std::string(python_norms) + "\n\n" + python_unet, "Unet",
                                    {{"input_shape", task.input_shape},
                                     {"target_shape", task.target_shape},
                                     {"width", settings_.width},
                                     {"depth", settings_.depth},
                                     {"norm", norms.of(settings_.norm)},
                                     {"activation", activations.of(settings_.activation)},
                                     {"dropout", settings_.dropout}});
    }
};

}  // namespace

std::shared_ptr<ModelSpec> read_unet(Section& section) { return std::make_shared<UnetSpec>(section); }

}  // namespace crescendo::trainer
