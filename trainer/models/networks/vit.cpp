#include "trainer/models/networks/models.hpp"

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>

#include "core/check.hpp"
#include "trainer/data/shapes.hpp"
#include "trainer/data/task.hpp"
#include "trainer/models/layers/dropout.hpp"
#include "trainer/models/layers/encoder.hpp"
#include "trainer/models/layers/image_inputs.hpp"
#include "trainer/models/layers/layers.hpp"
#include "trainer/models/model.hpp"
#include "trainer/models/networks/network_spec.hpp"
#include "trainer/models/python_network.hpp"

namespace crescendo::trainer {

using torch::nn::Conv2d;
using torch::nn::Conv2dOptions;
using torch::nn::Linear;

namespace {

struct VitSettings {
    EncoderSettings encoder = {};
    std::int64_t patch = 4;  ///< side length of the squares that become tokens, in pixels
    double dropout = 0.0;
};

class Vit : public Model {
  public:
    Vit(const VitSettings& settings, const Task& task) : dropout_(settings.dropout, /*layer=*/0) {
        const auto& shape = task.input_shape;
        const auto width = settings.encoder.width;
        const auto options = Conv2dOptions(num_channels(shape), width, settings.patch).stride(settings.patch);
        class_token_ = register_parameter("class_token", at::zeros({1, 1, width}));
        patches_ = register_module("conv_proj", make_convolution(options));
        const auto num_patches = (shape[shape.size() - 2] / settings.patch) * (shape.back() / settings.patch);
        encoder_ = register_module("encoder", std::make_shared<Encoder>(settings.encoder, 1 + num_patches));
        const auto heads = register_module("heads", std::make_shared<torch::nn::Module>());
        output_ = heads->register_module("head", Linear(width, task.num_outputs));
    }

    at::Tensor forward(const at::Tensor& inputs, const at::Tensor& dropout_keys) override {
        const at::Tensor patches = patches_(with_channels(inputs)).flatten(2).transpose(1, 2);
        const at::Tensor first = class_token_.expand({inputs.size(0), -1, -1});
        const at::Tensor tokens = encoder_->forward(at::cat({first, patches}, 1));
        return output_(dropout_(tokens.select(1, 0), dropout_keys));
    }

    bool drops_units() const override { return dropout_.drops(); }

  private:
    Dropout dropout_;
    at::Tensor class_token_;
    Conv2d patches_ = nullptr;
    std::shared_ptr<Encoder> encoder_;
    Linear output_ = nullptr;
};

class VitSpec : public NetworkSpec<Vit, VitSettings> {
  public:
    explicit VitSpec(Section& section) {
        read_encoder(section, settings_.encoder);
        section.integer("patch", settings_.patch, 1, 1 << 10);
        read_dropout(section, settings_.dropout);
    }

    std::vector<Problem> misfits(const datasets::SampleSet& samples, const DataSettings& data,
                                 const std::string& data_key) const override {
        auto problems = misfits_of_encoder(settings_.encoder);
        for (auto& each : misfits_of_images(samples, data, data_key, name, "use `model: mlp`")) {
            problems.push_back(std::move(each));
        }
        if (!problems.empty()) {
            return problems;
        }
        const auto image = joined_shape(samples.inputs());
        if (image[image.size() - 2] % settings_.patch != 0 || image.back() % settings_.patch != 0) {
            problems.push_back(
                {"trainer.patch",
                 text(
                     "squares of {} do not tile the {} inputs of {}; use a number that divides their height and width, "
                     "or {}",
                     settings_.patch, shape_text(image), samples.location(), remedy_for_size(image, settings_.patch))});
        }
        return problems;
    }

    std::string write_network(const Model&, const Task& task, const std::filesystem::path& folder) const override {
        nlohmann::ordered_json arguments{
            {"input_shape", task.input_shape}, {"num_outputs", task.num_outputs}, {"patch", settings_.patch}};
        arguments.update(arguments_of(settings_.encoder));
        arguments["dropout"] = settings_.dropout;
        return write_python_network(folder, std::string(python_encoder) + "\n\n" + python_vit, "Vit", arguments);
    }
};

}  // namespace

std::shared_ptr<ModelSpec> read_vit(Section& section) { return std::make_shared<VitSpec>(section); }

}  // namespace crescendo::trainer
