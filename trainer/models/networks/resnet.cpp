#include "trainer/models/networks/models.hpp"

#include <ATen/ATen.h>
#include <torch/nn/modules/linear.h>

#include <array>

#include "trainer/data/task.hpp"
#include "trainer/models/layers/dropout.hpp"
#include "trainer/models/layers/image_inputs.hpp"
#include "trainer/models/layers/layers.hpp"
#include "trainer/models/layers/norms.hpp"
#include "trainer/models/model.hpp"
#include "trainer/models/networks/network_spec.hpp"
#include "trainer/models/python_network.hpp"

namespace crescendo::trainer {

using torch::nn::Conv2d;
using torch::nn::Conv2dOptions;
using torch::nn::Linear;

namespace {

constexpr std::size_t num_stages = 4;

struct Architecture {
    std::array<int, num_stages> num_blocks;
    bool bottleneck;  ///< whether blocks are 1x1, 3x3, 1x1 convolutions with four times the channels as output
};

struct ResnetSettings {
    Architecture architecture;
    std::int64_t width = 64;
    Stem stem = Stem::small;
    Norm norm = Norm::batch;
    Activation activation = Activation::relu;
    double dropout = 0.0;
};

/// Without a bias if a norm follows, because the norm makes it redundant.
Conv2d convolution(std::int64_t from, std::int64_t to, std::int64_t size, std::int64_t stride, Norm norm) {
    return make_convolution(Conv2dOptions(from, to, size).stride(stride).padding(size / 2).bias(norm == Norm::none));
}

/// The shortcut of a block whose convolutions change the shape.
///
/// It selects every `stride`-th pixel before the convolution, which is equivalent to a convolution with a stride. The
/// reason: with few channels, oneDNN (in torch 2.11) writes past the end of its memory in the backward pass of such a
/// strided convolution, on processors without AVX-512.
class Projection : public torch::nn::Module {
  public:
    Projection(std::int64_t from, std::int64_t to, std::int64_t stride, Norm norm)
        : stride_(stride),
          convolution_(register_module("0", convolution(from, to, /*size=*/1, /*stride=*/1, norm))),
          norm_(*this, "1", norm, to) {}

    at::Tensor forward(const at::Tensor& x) {
        const auto every = [&](const at::Tensor& all, std::int64_t axis) {
            return all.slice(axis, 0, std::nullopt, stride_);
        };
        return norm_(convolution_(every(every(x, 2), 3)));
    }

  private:
    std::int64_t stride_;
    Conv2d convolution_;
    ChannelNorm norm_;
};

class Block : public torch::nn::Module {
  public:
    Block(std::int64_t from, std::int64_t channels, std::int64_t stride, bool bottleneck,
          const ResnetSettings& settings)
        : norm_(settings.norm), activation_(settings.activation) {
        const std::int64_t to = num_outputs(channels, bottleneck);
        if (bottleneck) {
            add(from, channels, /*size=*/1, /*stride=*/1);
            add(channels, channels, /*size=*/3, stride);
            add(channels, to, /*size=*/1, /*stride=*/1);
        } else {
            add(from, channels, /*size=*/3, stride);
            add(channels, to, /*size=*/3, /*stride=*/1);
        }
        if (stride != 1 || from != to) {
            projection_ = register_module("downsample", std::make_shared<Projection>(from, to, stride, norm_));
        }
    }

    static std::int64_t num_outputs(std::int64_t channels, bool bottleneck) {
        return bottleneck ? 4 * channels : channels;
    }

    at::Tensor forward(const at::Tensor& inputs) {
        at::Tensor x = inputs;
        for (std::size_t i = 0; i < convolutions_.size(); ++i) {
            x = norms_[i](convolutions_[i](x));
            if (i + 1 < convolutions_.size()) {
                x = activate(activation_, x);
            }
        }
        return activate(activation_, x + (projection_ ? projection_->forward(inputs) : inputs));
    }

  private:
    void add(std::int64_t from, std::int64_t to, std::int64_t size, std::int64_t stride) {
        const std::string number = std::to_string(convolutions_.size() + 1);
        convolutions_.push_back(register_module("conv" + number, convolution(from, to, size, stride, norm_)));
        norms_.emplace_back(*this, "bn" + number, norm_, to);
    }

    Norm norm_;
    Activation activation_;
    std::vector<Conv2d> convolutions_;
    std::vector<ChannelNorm> norms_;
    std::shared_ptr<Projection> projection_;
};

class Resnet : public Model {
  public:
    Resnet(const ResnetSettings& settings, const Task& task)
        : settings_(settings), dropout_(settings.dropout, /*layer=*/0) {
        const auto& architecture = settings.architecture;
        const bool large = settings.stem == Stem::large;
        stem_ = register_module("conv1", convolution(num_channels(task.input_shape), settings.width,
                                                     /*size=*/large ? 7 : 3, /*stride=*/large ? 2 : 1, settings.norm));
        norm_ = ChannelNorm(*this, "bn1", settings.norm, settings.width);
        std::int64_t from = settings.width;
        for (std::size_t stage = 0; stage < num_stages; ++stage) {
            const auto blocks =
                register_module("layer" + std::to_string(stage + 1), std::make_shared<torch::nn::Module>());
            const std::int64_t channels = settings.width << stage;
            for (int i = 0; i < architecture.num_blocks[stage]; ++i) {
                const std::int64_t stride = i == 0 && stage > 0 ? 2 : 1;
                blocks_.push_back(blocks->register_module(
                    std::to_string(i),
                    std::make_shared<Block>(from, channels, stride, architecture.bottleneck, settings)));
                from = Block::num_outputs(channels, architecture.bottleneck);
            }
        }
        output_ = register_module("fc", Linear(from, task.num_outputs));
    }

    at::Tensor forward(const at::Tensor& inputs, const at::Tensor& dropout_keys) override {
        at::Tensor x = activate(settings_.activation, norm_(stem_(with_channels(inputs))));
        if (settings_.stem == Stem::large) {
            x = at::max_pool2d(x, /*kernel_size=*/3, /*stride=*/2, /*padding=*/1);
        }
        for (const auto& block : blocks_) {
            x = block->forward(x);
        }
        return output_(dropout_(x.mean({2, 3}), dropout_keys));
    }

    bool drops_units() const override { return dropout_.drops(); }

  private:
    ResnetSettings settings_;
    Dropout dropout_;
    Conv2d stem_ = nullptr;
    ChannelNorm norm_;
    std::vector<std::shared_ptr<Block>> blocks_;
    Linear output_ = nullptr;
};

class ResnetSpec : public NetworkSpec<Resnet, ResnetSettings> {
  public:
    ResnetSpec(Section& section, const Architecture& architecture) : NetworkSpec({.architecture = architecture}) {
        section.integer("width", settings_.width, 1, 1 << 16);
        section.choice("stem", settings_.stem, stems);
        read_norm(section, settings_.norm);
        read_activation(section, settings_.activation);
        read_dropout(section, settings_.dropout);
    }

    std::vector<Problem> misfits(const datasets::SampleSet& samples, const DataSettings& data,
                                 const std::string& data_key) const override {
        return misfits_of_images(samples, data, data_key, name, "use `model: mlp`");
    }

    std::string write_network(const Model&, const Task& task, const std::filesystem::path& folder) const override {
        return write_python_network(folder, std::string(python_norms) + "\n\n" + python_resnet, "Resnet",
                                    {{"input_shape", task.input_shape},
                                     {"num_outputs", task.num_outputs},
                                     {"num_blocks", settings_.architecture.num_blocks},
                                     {"bottleneck", settings_.architecture.bottleneck},
                                     {"width", settings_.width},
                                     {"stem", stems.of(settings_.stem)},
                                     {"norm", norms.of(settings_.norm)},
                                     {"activation", activations.of(settings_.activation)},
                                     {"dropout", settings_.dropout}});
    }
};

}  // namespace

std::shared_ptr<ModelSpec> read_resnet18(Section& section) {
    return std::make_shared<ResnetSpec>(section, Architecture{.num_blocks = {2, 2, 2, 2}, .bottleneck = false});
}

std::shared_ptr<ModelSpec> read_resnet34(Section& section) {
    return std::make_shared<ResnetSpec>(section, Architecture{.num_blocks = {3, 4, 6, 3}, .bottleneck = false});
}

std::shared_ptr<ModelSpec> read_resnet50(Section& section) {
    return std::make_shared<ResnetSpec>(section, Architecture{.num_blocks = {3, 4, 6, 3}, .bottleneck = true});
}

}  // namespace crescendo::trainer
