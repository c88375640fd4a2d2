#include "trainer/models/networks/models.hpp"

#include <ATen/ATen.h>
#include <torch/nn/modules/linear.h>

#include <functional>
#include <numeric>

#include "trainer/data/task.hpp"
#include "trainer/models/layers/dropout.hpp"
#include "trainer/models/layers/embeddings.hpp"
#include "trainer/models/layers/layers.hpp"
#include "trainer/models/model.hpp"
#include "trainer/models/networks/network_spec.hpp"
#include "trainer/models/python_network.hpp"

namespace crescendo::trainer {

using torch::nn::Linear;

namespace {

struct MlpSettings {
    std::int64_t width = 128;
    std::int64_t depth = 2;
    Activation activation = Activation::relu;
    double dropout = 0.0;
    EmbeddingSettings embeddings;
};

std::int64_t num_elements(const std::vector<std::int64_t>& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

class Mlp : public Model {
  public:
    Mlp(const MlpSettings& settings, const Task& task)
        : activation_(settings.activation), embeddings_(*this, settings.embeddings, num_elements(task.input_shape)) {
        std::int64_t features = embeddings_.num_features();
        for (std::int64_t i = 0; i < settings.depth; ++i) {
            hidden_.push_back(register_module("hidden" + std::to_string(i + 1), Linear(features, settings.width)));
            dropouts_.emplace_back(settings.dropout, /*layer=*/i);
            features = settings.width;
        }
        output_ = register_module("output", Linear(features, task.num_outputs));
    }

    at::Tensor forward(const at::Tensor& inputs, const at::Tensor& dropout_keys) override {
        at::Tensor x = embeddings_(inputs.reshape({inputs.size(0), -1}));
        for (std::size_t i = 0; i < hidden_.size(); ++i) {
            x = dropouts_[i](activate(activation_, hidden_[i](x)), dropout_keys);
        }
        return output_(x);
    }

    bool drops_units() const override { return !dropouts_.empty() && dropouts_.front().drops(); }

  private:
    Activation activation_;
    Embeddings embeddings_;
    std::vector<Linear> hidden_;
    std::vector<Dropout> dropouts_;
    Linear output_ = nullptr;
};

class MlpSpec : public NetworkSpec<Mlp, MlpSettings> {
  public:
    explicit MlpSpec(Section& section) : NetworkSpec({.embeddings = EmbeddingSettings(section)}) {
        section.integer("width", settings_.width, 1, 1 << 20);
        section.integer("depth", settings_.depth, 0, 256);
        read_activation(section, settings_.activation);
        read_dropout(section, settings_.dropout);
    }

    std::vector<Problem> misfits(const datasets::SampleSet& samples, const DataSettings& data,
                                 const std::string& /*data_key*/) const override {
        return settings_.embeddings.misfits(samples, data);
    }

    std::string write_network(const Model&, const Task& task, const std::filesystem::path& folder) const override {
        auto embeddings = nlohmann::ordered_json::array();  // per column: index, number of categories and width
        for (const auto& [column, num_categories] : settings_.embeddings.categories()) {
            embeddings.push_back({column, num_categories, settings_.embeddings.width(num_categories)});
        }
        return write_python_network(folder, python_mlp, "Mlp",
                                    {{"input_shape", task.input_shape},
                                     {"num_outputs", task.num_outputs},
                                     {"width", settings_.width},
                                     {"depth", settings_.depth},
                                     {"activation", activations.of(settings_.activation)},
                                     {"dropout", settings_.dropout},
                                     {"embeddings", embeddings}});
    }
};

}  // namespace

std::shared_ptr<ModelSpec> read_mlp(Section& section) { return std::make_shared<MlpSpec>(section); }

}  // namespace crescendo::trainer
