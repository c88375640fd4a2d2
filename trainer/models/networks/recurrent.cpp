#include "trainer/models/networks/models.hpp"

#include <ATen/ATen.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/rnn.h>

#include "trainer/data/task.hpp"
#include "trainer/models/layers/dropout.hpp"
#include "trainer/models/layers/series.hpp"
#include "trainer/models/model.hpp"
#include "trainer/models/networks/network_spec.hpp"
#include "trainer/models/python_network.hpp"

namespace crescendo::trainer {

using torch::nn::Linear;

namespace {

struct RecurrentSettings {
    std::int64_t width = 64;  ///< units per layer
    std::int64_t depth = 1;   ///< layers
    bool bidirectional = false;
    double dropout = 0.0;
};

/// Torch's layers, and the name of their class in Python.
struct Lstm {
    using Layers = torch::nn::LSTM;
    using Options = torch::nn::LSTMOptions;
    static constexpr const char* name = "LSTM";
};

struct Gru {
    using Layers = torch::nn::GRU;
    using Options = torch::nn::GRUOptions;
    static constexpr const char* name = "GRU";
};

template <class Kind>
class Recurrent : public Model {
  public:
    Recurrent(const RecurrentSettings& settings, const Task& task)
        : settings_(settings), dropout_(settings.dropout, /*layer=*/0) {
        const auto options = typename Kind::Options(series_shape(task.input_shape).numbers, settings.width)
                                 .num_layers(settings.depth)
                                 .bidirectional(settings.bidirectional)
                                 .batch_first(true);
        layers_ = register_module("layers", typename Kind::Layers(options));
        output_ =
            register_module("output", Linear((settings.bidirectional ? 2 : 1) * settings.width, task.num_outputs));
    }

    at::Tensor forward(const at::Tensor& inputs, const at::Tensor& dropout_keys) override {
        const at::Tensor steps = std::get<0>(layers_(as_series(inputs)));
        at::Tensor last = steps.select(1, steps.size(1) - 1);
        if (settings_.bidirectional) {  // the backward direction ends at the first step
            const auto width = settings_.width;
            last = at::cat({last.narrow(1, 0, width), steps.select(1, 0).narrow(1, width, width)}, 1);
        }
        return output_(dropout_(last, dropout_keys));
    }

    bool drops_units() const override { return dropout_.drops(); }

    using Model::to;
    /// cuDNN needs the layers' weights in one block of memory. Otherwise it would copy them together at every call.
    void to(torch::Device device, bool non_blocking) override {
        Model::to(device, non_blocking);
        layers_->flatten_parameters();
    }

  private:
    RecurrentSettings settings_;
    Dropout dropout_;
    typename Kind::Layers layers_ = nullptr;
    Linear output_ = nullptr;
};

template <class Kind>
class RecurrentSpec : public NetworkSpec<Recurrent<Kind>, RecurrentSettings> {
    using NetworkSpec<Recurrent<Kind>, RecurrentSettings>::settings_;

  public:
    explicit RecurrentSpec(Section& section) {
        section.integer("width", settings_.width, 1, 1 << 20);
        section.integer("depth", settings_.depth, 1, 64);
        section.flag("bidirectional", settings_.bidirectional);
        read_dropout(section, settings_.dropout);
    }

    std::vector<Problem> misfits(const datasets::SampleSet& samples, const DataSettings& /*data*/,
                                 const std::string& data_key) const override {
        return misfits_of_series(samples, data_key, this->name);
    }

    std::string write_network(const Model&, const Task& task, const std::filesystem::path& folder) const override {
        return write_python_network(folder, python_recurrent, "Recurrent",
                                    {{"kind", Kind::name},
                                     {"input_shape", task.input_shape},
                                     {"num_outputs", task.num_outputs},
                                     {"width", settings_.width},
                                     {"depth", settings_.depth},
                                     {"bidirectional", settings_.bidirectional},
                                     {"dropout", settings_.dropout}});
    }
};

}  // namespace

std::shared_ptr<ModelSpec> read_lstm(Section& section) { return std::make_shared<RecurrentSpec<Lstm>>(section); }

std::shared_ptr<ModelSpec> read_gru(Section& section) { return std::make_shared<RecurrentSpec<Gru>>(section); }

}  // namespace crescendo::trainer
