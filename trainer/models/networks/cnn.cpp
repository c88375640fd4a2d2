#include "trainer/models/networks/models.hpp"

#include <ATen/ATen.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>

#include "core/check.hpp"
#include "trainer/data/shapes.hpp"
#include "trainer/data/task.hpp"
#include "trainer/models/layers/dropout.hpp"
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

struct CnnSettings {
    std::int64_t width = 16;
    std::int64_t depth = 2;
    std::int64_t kernel_size = 3;
    Activation activation = Activation::relu;
    double dropout = 0.0;
};

class Cnn : public Model {
  public:
    Cnn(const CnnSettings& settings, const Task& task)
        : activation_(settings.activation), dropout_(settings.dropout, /*layer=*/0) {
        const auto& shape = task.input_shape;
        CRESCENDO_EXPECT(is_image(shape));
        const std::int64_t height = shape[shape.size() - 2];
        std::int64_t channels = num_channels(shape);
        for (std::int64_t i = 0; i < settings.depth; ++i) {
            const auto options =
                Conv2dOptions(channels, settings.width << i, settings.kernel_size).padding(settings.kernel_size / 2);
            convolutions_.push_back(register_module("conv" + std::to_string(i + 1), make_convolution(options)));
            channels = settings.width << i;
        }
        const std::int64_t features = channels * (height >> settings.depth) * (shape.back() >> settings.depth);
        hidden_ = register_module("hidden", Linear(features, 8 * settings.width));
        output_ = register_module("output", Linear(8 * settings.width, task.num_outputs));
    }

    at::Tensor forward(const at::Tensor& inputs, const at::Tensor& dropout_keys) override {
        at::Tensor x = with_channels(inputs);
        for (auto& convolution : convolutions_) {
            x = activate_and_pool(activation_, convolution(x));
        }
        x = activate(activation_, hidden_(x.flatten(1)));
        return output_(dropout_(x, dropout_keys));
    }

    bool drops_units() const override { return dropout_.drops(); }

  private:
    Activation activation_;
    Dropout dropout_;
    std::vector<Conv2d> convolutions_;
    Linear hidden_ = nullptr;
    Linear output_ = nullptr;
};

class CnnSpec : public NetworkSpec<Cnn, CnnSettings> {
  public:
    explicit CnnSpec(Section& section) {
        section.integer("width", settings_.width, 1, 1 << 20);
        section.integer("depth", settings_.depth, 1, 12);
        section.odd_integer("kernel_size", settings_.kernel_size, 1, 31);
        read_activation(section, settings_.activation);
        read_dropout(section, settings_.dropout);
    }

    std::vector<Problem> misfits(const datasets::SampleSet& samples, const DataSettings& data,
                                 const std::string& data_key) const override {
        auto problems = misfits_of_images(samples, data, data_key, name, "use `model: mlp`");
        if (!problems.empty()) {
            return problems;
        }
        const auto image = joined_shape(samples.inputs());
        if (std::min(image[image.size() - 2], image.back()) >> settings_.depth == 0) {
            problems.push_back({"trainer.depth", text("{} leaves nothing of the {} inputs of {}, because each "
                                                      "convolution halves height and width; use less",
                                                      settings_.depth, shape_text(image), samples.location())});
        }
        return problems;
    }

    std::string write_network(const Model&, const Task& task, const std::filesystem::path& folder) const override {
        return write_python_network(folder, python_cnn, "Cnn",
                                    {{"input_shape", task.input_shape},
                                     {"num_outputs", task.num_outputs},
                                     {"width", settings_.width},
                                     {"depth", settings_.depth},
                                     {"kernel_size", settings_.kernel_size},
                                     {"activation", activations.of(settings_.activation)},
                                     {"dropout", settings_.dropout}});
    }
};

}  // namespace

std::shared_ptr<ModelSpec> read_cnn(Section& section) { return std::make_shared<CnnSpec>(section); }

}  // namespace crescendo::trainer
