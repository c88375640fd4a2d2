#include "trainer/models/networks/models.hpp"

#include <ATen/ATen.h>
#include <torch/nn/modules/container/any.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "trainer/data/shapes.hpp"
#include "trainer/data/task.hpp"
#include "trainer/models/layers/dropout.hpp"
#include "trainer/models/layers/layers.hpp"
#include "trainer/models/layers/norms.hpp"
#include "trainer/models/model.hpp"
#include "trainer/models/networks/network_spec.hpp"
#include "trainer/models/python_network.hpp"

namespace crescendo::trainer {

using torch::nn::AnyModule;
using torch::nn::Conv3d;
using torch::nn::Conv3dOptions;

namespace {

constexpr int num_video_stages = 4;

struct VideoSettings {
    bool factorized = false;
    std::int64_t width = 16;
    std::int64_t depth = 2;
    std::int64_t kernel_size = 3;
    Stem stem = Stem::small;
    Norm norm = Norm::batch;
    Activation activation = Activation::relu;
    double dropout = 0.0;
};

/// Sizes or strides of a convolution: along time, and along height and width.
struct Lengths {
    std::int64_t time;
    std::int64_t space;
};

/// Without a bias if a norm follows, because the norm makes it redundant.
Conv3d convolution(std::int64_t from, std::int64_t to, Lengths size, Lengths stride, Norm norm) {
    return Conv3d(Conv3dOptions(from, to, {size.time, size.space, size.space})
                      .stride({stride.time, stride.space, stride.space})
                      .padding({size.time / 2, size.space / 2, size.space / 2})
                      .bias(norm == Norm::none));
}

/// A convolution over height and width, its norm and activation, and a convolution over time.
class FactorizedConvolution : public torch::nn::Module {
  public:
    FactorizedConvolution(std::int64_t from, std::int64_t between, std::int64_t to, Lengths size, Lengths stride,
                          const VideoSettings& settings)
        : activation_(settings.activation),
          over_space_(
              register_module("0", convolution(from, between, {1, size.space}, {1, stride.space}, settings.norm))),
          norm_(ChannelNorm(*this, "1", settings.norm, between)),
          over_time_(register_module("3", convolution(between, to, {size.time, 1}, {stride.time, 1}, settings.norm))) {}

    at::Tensor forward(const at::Tensor& x) { return over_time_(activate(activation_, norm_(over_space_(x)))); }

  private:
    Activation activation_;
    Conv3d over_space_;
    ChannelNorm norm_;
    Conv3d over_time_;
};

/// A whole or factorised convolution, and its norm.
class NormedConvolution : public torch::nn::Module {
  public:
    NormedConvolution(AnyModule convolution, Norm norm, std::int64_t channels) : convolution_(std::move(convolution)) {
        register_module("0", convolution_.ptr());
        norm_ = ChannelNorm(*this, "1", norm, channels);
    }

    at::Tensor forward(const at::Tensor& x) { return norm_(convolution_.forward(x)); }

  private:
    AnyModule convolution_;
    ChannelNorm norm_;
};

class VideoBlock : public torch::nn::Module {
  public:
    VideoBlock(std::int64_t from, std::int64_t to, std::int64_t stride, const VideoSettings& settings)
        : activation_(settings.activation) {
        const std::int64_t k = settings.kernel_size;
        // Chosen so that a factorised kernel has as many parameters as a whole one (section 3.5). Used for both
        // convolutions of a block.
        const std::int64_t between = std::max<std::int64_t>(1, from * to * k * k * k / (from * k * k + k * to));
        const auto make = [&](std::int64_t channels, std::int64_t by) {
            const Lengths size{k, k}, strides{by, by};
            const auto whole = [&] { return AnyModule(convolution(channels, to, size, strides, settings.norm)); };
            const auto parts = [&] {
                return AnyModule(
                    std::make_shared<FactorizedConvolution>(channels, between, to, size, strides, settings));
            };
            return std::make_shared<NormedConvolution>(settings.factorized ? parts() : whole(), settings.norm, to);
        };
        first_ = register_module("conv1", make(from, stride));
        second_ = register_module("conv2", make(to, 1));
        if (stride != 1 || from != to) {
            AnyModule projection(convolution(from, to, {1, 1}, {stride, stride}, settings.norm));
            projection_ = register_module(
                "downsample", std::make_shared<NormedConvolution>(std::move(projection), settings.norm, to));
        }
    }

    at::Tensor forward(const at::Tensor& inputs) {
        const at::Tensor x = second_->forward(activate(activation_, first_->forward(inputs)));
        return activate(activation_, x + (projection_ ? projection_->forward(inputs) : inputs));
    }

  private:
    Activation activation_;
    std::shared_ptr<NormedConvolution> first_;
    std::shared_ptr<NormedConvolution> second_;
    std::shared_ptr<NormedConvolution> projection_;
};

/// The first convolution. If factorised, it has 45 channels between its parts for a width of 64, as in torchvision.
class VideoStem : public torch::nn::Module {
  public:
    VideoStem(std::int64_t channels, const VideoSettings& settings) : activation_(settings.activation) {
        const bool large = settings.stem == Stem::large;
        const Lengths size{3, large ? 7 : 3}, stride{1, large ? 2 : 1};
        const std::int64_t between = std::max<std::int64_t>(1, settings.width * 45 / 64);
        const auto add = [&](const char* name, const char* norm, Conv3d layer, std::int64_t to) {
            convolutions_.push_back(register_module(name, std::move(layer)));
            norms_.push_back(ChannelNorm(*this, norm, settings.norm, to));
        };
        if (settings.factorized) {
            add("0", "1", convolution(channels, between, {1, size.space}, stride, settings.norm), between);
            add("3", "4", convolution(between, settings.width, {size.time, 1}, {1, 1}, settings.norm), settings.width);
        } else {
            add("0", "1", convolution(channels, settings.width, size, stride, settings.norm), settings.width);
        }
    }

    at::Tensor forward(const at::Tensor& inputs) {
        at::Tensor x = inputs;
        for (std::size_t i = 0; i < convolutions_.size(); ++i) {
            x = activate(activation_, norms_[i](convolutions_[i](x)));
        }
        return x;
    }

  private:
    Activation activation_;
    std::vector<Conv3d> convolutions_;
    std::vector<ChannelNorm> norms_;
};

class VideoNetwork : public Model {
  public:
    VideoNetwork(const VideoSettings& settings, const Task& task) : dropout_(settings.dropout, /*layer=*/0) {
        const auto& shape = task.input_shape;
        CRESCENDO_EXPECT(shape.size() == 3 || shape.size() == 4);
        stem_ = register_module("stem", std::make_shared<VideoStem>(shape.size() == 4 ? shape[1] : 1, settings));
        std::int64_t from = settings.width;
        for (int stage = 0; stage < num_video_stages; ++stage) {
            const auto blocks =
                register_module("layer" + std::to_string(stage + 1), std::make_shared<torch::nn::Module>());
            const std::int64_t to = settings.width << stage;
            for (std::int64_t i = 0; i < settings.depth; ++i) {
                const std::int64_t stride = i == 0 && stage > 0 ? 2 : 1;
                blocks_.push_back(blocks->register_module(std::to_string(i),
                                                          std::make_shared<VideoBlock>(from, to, stride, settings)));
                from = to;
            }
        }
        output_ = register_module("fc", torch::nn::Linear(from, task.num_outputs));
    }

    at::Tensor forward(const at::Tensor& inputs, const at::Tensor& dropout_keys) override {
        at::Tensor x = stem_->forward(inputs.dim() == 4 ? inputs.unsqueeze(1) : inputs.transpose(1, 2));
        for (const auto& block : blocks_) {
            x = block->forward(x);
        }
        return output_(dropout_(x.mean({2, 3, 4}), dropout_keys));
    }

    bool drops_units() const override { return dropout_.drops(); }

  private:
    Dropout dropout_;
    std::shared_ptr<VideoStem> stem_;
    std::vector<std::shared_ptr<VideoBlock>> blocks_;
    torch::nn::Linear output_ = nullptr;
};

class VideoSpec : public NetworkSpec<VideoNetwork, VideoSettings> {
  public:
    VideoSpec(Section& section, bool factorized) {
        settings_.factorized = factorized;
        section.integer("width", settings_.width, 1, 1 << 16);
        section.integer("depth", settings_.depth, 1, 64);
        section.odd_integer("kernel_size", settings_.kernel_size, 1, 31);
        section.choice("stem", settings_.stem, stems);
        read_norm(section, settings_.norm);
        read_activation(section, settings_.activation);
        read_dropout(section, settings_.dropout);
    }

    std::vector<Problem> misfits(const datasets::SampleSet& samples, const DataSettings& /*data*/,
                                 const std::string& data_key) const override {
        const auto shape = joined_shape(samples.inputs());
        if (shape.size() != 3 && shape.size() != 4) {
            return {
                {data_key, text("{}: a sample is {}, but the {} takes frames x height x width, or frames x channels "
                                "x height x width; make windows of images with data.window, or use another model",
                                samples.location(), shape_text(shape), name)}};
        }
        for (const auto& field : samples.inputs()) {
            if (field.channels_last && field.window == 0) {
                return {{"trainer.data.layout",
                         text("hwc would move the last axis of {}:{} to the front, where the {} expects the frames; "
                              "store the channels after the frames, or use windows of images",
                              samples.location(), field.path, name)}};
            }
        }
        return {};
    }

    std::string write_network(const Model&, const Task& task, const std::filesystem::path& folder) const override {
        return write_python_network(folder, std::string(python_norms) + "\n\n" + python_video, "VideoNetwork",
                                    {{"input_shape", task.input_shape},
                                     {"num_outputs", task.num_outputs},
                                     {"factorized", settings_.factorized},
                                     {"width", settings_.width},
                                     {"depth", settings_.depth},
                                     {"kernel_size", settings_.kernel_size},
                                     {"stem", stems.of(settings_.stem)},
                                     {"norm", norms.of(settings_.norm)},
                                     {"activation", activations.of(settings_.activation)},
                                     {"dropout", settings_.dropout}});
    }
};

}  // namespace

std::shared_ptr<ModelSpec> read_r3d(Section& section) {
    return std::make_shared<VideoSpec>(section, /*factorized=*/false);
}

std::shared_ptr<ModelSpec> read_r2plus1d(Section& section) {
    return std::make_shared<VideoSpec>(section, /*factorized=*/true);
}

}  // namespace crescendo::trainer
