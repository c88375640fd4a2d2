#include "trainer/models/networks/models.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "trainer/data/task.hpp"
#include "trainer/models/layers/dropout.hpp"
#include "trainer/models/layers/encoder.hpp"
#include "trainer/models/layers/series.hpp"
#include "trainer/models/model.hpp"
#include "trainer/models/networks/network_spec.hpp"
#include "trainer/models/python_network.hpp"

namespace crescendo::trainer {

using torch::nn::Linear;

namespace {

struct TransformerSettings {
    EncoderSettings encoder = {};
    double dropout = 0.0;
};

class Transformer : public Model {
  public:
    Transformer(const TransformerSettings& settings, const Task& task) : dropout_(settings.dropout, /*layer=*/0) {
        const auto [length, numbers] = series_shape(task.input_shape);
        input_ = register_module("input", Linear(numbers, settings.encoder.width));
        encoder_ = register_module("encoder", std::make_shared<Encoder>(settings.encoder, length));
        output_ = register_module("output", Linear(settings.encoder.width, task.num_outputs));
    }

    at::Tensor forward(const at::Tensor& inputs, const at::Tensor& dropout_keys) override {
        const at::Tensor tokens = encoder_->forward(input_(as_series(inputs)));
        return output_(dropout_(tokens.mean(1), dropout_keys));
    }

    bool drops_units() const override { return dropout_.drops(); }

  private:
    Dropout dropout_;
    Linear input_ = nullptr;
    std::shared_ptr<Encoder> encoder_;
    Linear output_ = nullptr;
};

class TransformerSpec : public NetworkSpec<Transformer, TransformerSettings> {
  public:
    explicit TransformerSpec(Section& section) {
        read_encoder(section, settings_.encoder);
        read_dropout(section, settings_.dropout);
    }

    std::vector<Problem> misfits(const datasets::SampleSet& samples, const DataSettings& /*data*/,
                                 const std::string& data_key) const override {
        auto problems = misfits_of_encoder(settings_.encoder);
        for (auto& each : misfits_of_series(samples, data_key, name)) {
            problems.push_back(std::move(each));
        }
        return problems;
    }

    std::string write_network(const Model&, const Task& task, const std::filesystem::path& folder) const override {
        nlohmann::ordered_json arguments{{"input_shape", task.input_shape}, {"num_outputs", task.num_outputs}};
        arguments.update(arguments_of(settings_.encoder));
        arguments["dropout"] = settings_.dropout;
        return write_python_network(folder, std::string(python_encoder) + "\n\n" + python_transformer, "Transformer",
                                    arguments);
    }
};

}  // namespace

std::shared_ptr<ModelSpec> read_transformer(Section& section) { return std::make_shared<TransformerSpec>(section); }

}  // namespace crescendo::trainer
