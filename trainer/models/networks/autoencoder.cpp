#include "trainer/models/networks/models.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <bit>

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

namespace {

struct AutoencoderSettings {
    std::int64_t width = 16;
    std::int64_t depth = 2;
    std::int64_t latent = 8;
    Activation activation = Activation::relu;
    double dropout = 0.0;
};

class Autoencoder : public Model {
  public:
    Autoencoder(const AutoencoderSettings& settings, const Task& task)
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
        for (auto& convolution : down_) {
            x = activate(activation_, convolution(x));
        }
        x = decode_(dropout_(code_(x), dropout_keys));
        for (auto& convolution : up_) {
            x = convolution(double_size(activate(activation_, x)));
        }
        return x.flatten(1);
    }

    bool drops_units() const override { return dropout_.drops(); }

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

class AutoencoderSpec : public NetworkSpec<Autoencoder, AutoencoderSettings> {
  public:
    explicit AutoencoderSpec(Section& section) {
        section.integer("width", settings_.width, 1, 1 << 20);
        section.integer("depth", settings_.depth, 1, 12);
        section.integer("latent", settings_.latent, 1, 1 << 20);
        read_activation(section, settings_.activation);
        read_dropout(section, settings_.dropout);
    }

    std::vector<Problem> misfits(const datasets::SampleSet& samples, const DataSettings& data,
                                 const std::string& data_key) const override {
        auto problems = misfits_of_images(samples, data, data_key, name, "store the samples that way");
        if (!problems.empty()) {
            return problems;
        }
        const auto image = joined_shape(samples.inputs());
        const auto height = static_cast<std::uint64_t>(image[image.size() - 2]);
        const int most = std::countr_zero(height | static_cast<std::uint64_t>(image.back()));
        if (settings_.depth > most) {
            problems.push_back(
                {"trainer.depth",
                 text("{} does not fit the {} inputs of {}, whose height and width cannot both be halved {} times; "
                      "{}{}",
                      settings_.depth, shape_text(image), samples.location(), settings_.depth,
                      most > 0 ? text("use at most {}, or ", most) : "",
                      remedy_for_size(image, std::int64_t{1} << settings_.depth))});
        }
        return problems;
    }

    bool reconstructs(const datasets::SampleSet& samples) const override {
        if (samples.targets().size() == 0) {
            return true;
        }
        const auto inputs = joined_shape(samples.inputs());
        const auto targets = joined_shape(samples.targets());
        const bool fields =
            is_image(inputs) && is_image(targets) && std::equal(targets.end() - 2, targets.end(), inputs.end() - 2);
        return !fields;
    }

    std::string write_network(const Model&, const Task& task, const std::filesystem::path& folder) const override {
        return write_python_network(folder, python_autoencoder, "Autoencoder",
                                    {{"input_shape", task.input_shape},
                                     {"target_shape", task.target_shape},
                                     {"width", settings_.width},
                                     {"depth", settings_.depth},
                                     {"latent", settings_.latent},
                                     {"activation", activations.of(settings_.activation)},
                                     {"dropout", settings_.dropout}});
    }
};

}  // namespace

std::shared_ptr<ModelSpec> read_autoencoder(Section& section) { return std::make_shared<AutoencoderSpec>(section); }

}  // namespace crescendo::trainer
