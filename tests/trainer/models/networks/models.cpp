#include "trainer/models/networks/models.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/data/task.hpp"
#include "trainer/models/layers/dropout.hpp"
#include "trainer/models/layers/norms.hpp"
#include "trainer/models/model.hpp"
#include "trainer/settings/model_spec.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

/// A task of images, or of videos for the models that take videos.
Task task_for(const std::string& model) {
    const bool video = model == "r3d" || model == "r2plus1d";
    return {.input_shape = video ? std::vector<std::int64_t>{3, 8, 8} : std::vector<std::int64_t>{8, 8},
            .target_shape = {8, 8},
            .num_outputs = 64};
}

/// Whether a network that takes over the parameters and buffers of another one, like a member that joins a trial,
/// computes the same from then on.
bool carries_its_state(Model& trained, Model& joins, std::vector<std::int64_t> shape = {8, 8}) {
    shape.insert(shape.begin(), 4);
    const at::Tensor inputs = at::randn(shape);
    const at::Tensor keys = dropout_keys(/*seed=*/1, /*epoch=*/0, {0, 1, 2, 3});
    for (int i = 0; i < 3; ++i) {
        trained.forward(at::randn(shape), keys);
    }
    const auto take_over = [](const std::vector<at::Tensor>& from, const std::vector<at::Tensor>& to) {
        for (std::size_t i = 0; i < from.size(); ++i) {
            to[i].detach().copy_(from[i].detach());
        }
    };
    take_over(trained.parameters(), joins.parameters());
    take_over(trained.buffers(), joins.buffers());

    bool same = at::equal(trained.forward(inputs, keys), joins.forward(inputs, keys));
    for (std::size_t i = 0; i < trained.buffers().size(); ++i) {
        same = same && at::equal(trained.buffers()[i], joins.buffers()[i]);
    }
    trained.eval();
    joins.eval();
    return same && at::equal(trained.forward(inputs), joins.forward(inputs));
}

/// Keeps the mean of its inputs, either in a buffer or in a tensor that is not registered.
class Centred : public Model {
  public:
    explicit Centred(bool in_buffer) : mean_(at::zeros({8, 8})) {
        weight_ = register_parameter("weight", at::randn({8, 8}));
        if (in_buffer) {
            register_buffer("mean", mean_);
        }
    }

    at::Tensor forward(const at::Tensor& inputs, const at::Tensor& /*dropout_keys*/) override {
        if (is_training()) {
            mean_.lerp_(inputs.detach().mean(0), 0.1);
        }
        return ((inputs - mean_) * weight_).flatten(1);
    }

  private:
    at::Tensor mean_;
    at::Tensor weight_;
};

}  // namespace

TEST_CASE("each model is chosen by its name and makes its network from its defaults") {
    const std::map<std::string, std::int64_t> first{
        {"cnn", 16},      {"mlp", 128},     {"autoencoder", 16}, {"resnet18", 64}, {"resnet34", 64},
        {"resnet50", 64}, {"unet", 16},     {"r3d", 16},         {"r2plus1d", 11}, {"vit", 1},
        {"transformer", 64}, {"lstm", 4 * 64}, {"gru", 3 * 64}};
    std::set<std::string> networks;
    for (const auto& model : models()) {
        if (model.name == std::string("*.pt")) {
            continue;  // its network is a file
        }
        CAPTURE(model.name);
        REQUIRE(first.contains(model.name));  // a new model is listed above
        const Settings settings = settings_of({{"model", model.name}});

        CHECK(settings.model->name == model.name);
        const auto network = settings.model->make(task_for(model.name));
        networks.insert(network->named_parameters().keys().front());
        CHECK(network->parameters().front().size(0) == first.at(model.name));
    }
    CHECK(networks == std::set<std::string>{"conv1.weight", "hidden1.weight", "down1.weight", "down0.conv1.weight",
                                            "stem.0.weight", "class_token", "input.weight", "layers.weight_ih_l0"});
    CHECK(settings_of(nlohmann::json::object()).model->name == "cnn");
}

TEST_CASE("networks keep all state between steps in their parameters and buffers") {
    std::vector<nlohmann::json> all;
    for (const auto& model : models()) {
        if (model.name == std::string("*.pt")) {
            continue;
        }
        all.push_back({{"model", model.name}, {"dropout", 0.2}});
        const std::string name = model.name;
        for (const auto& [norm, word] : norms) {
            if (name == "unet" || name == "resnet18" || name == "r3d") {
                all.push_back({{"model", name}, {"norm", word}, {"width", 4}});
            }
        }
    }
    for (const auto& settings : all) {
        CAPTURE(settings.dump());
        const auto spec = settings_of(settings).model;
        const Task task = task_for(spec->name);
        CHECK(carries_its_state(*spec->make(task), *spec->make(task), task.input_shape));
    }
}

TEST_CASE("the check finds a network that keeps state elsewhere") {
    Centred trained(/*in_buffer=*/true);
    Centred joins(/*in_buffer=*/true);
    CHECK(carries_its_state(trained, joins));

    Centred keeps(/*in_buffer=*/false);
    Centred lacks(/*in_buffer=*/false);
    CHECK_FALSE(carries_its_state(keeps, lacks));
}
