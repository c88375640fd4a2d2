#include "trainer/models/models.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/data/task.hpp"
#include "trainer/models/model.hpp"
#include "trainer/settings/model_spec.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

TEST_CASE("each model is chosen by its name, and makes its network from its defaults") {
    const Task images{.input_shape = {8, 8}, .target_shape = {8, 8}, .num_outputs = 64};
    std::set<std::string> networks;
    for (const auto& model : models()) {
        if (model.name == std::string("*.pt")) {
            continue;  // its network is a file
        }
        const Settings settings = settings_of({{"model", model.name}});

        CHECK(settings.model->name == model.name);
        const auto network = settings.model->make(images);
        networks.insert(network->named_parameters().keys().front());
        const std::string& name = settings.model->name;
        const std::map<std::string, std::int64_t> first{
            {"cnn", 16}, {"mlp", 128}, {"autoencoder", 16}, {"unet", 16},
            {"vit", 1},  {"transformer", 64}, {"lstm", 4 * 64}, {"gru", 3 * 64}};
        CHECK(network->parameters().front().size(0) == (name.starts_with("resnet") ? 64 : first.at(name)));
    }
    CHECK(networks == std::set<std::string>{"conv1.weight", "hidden1.weight", "down1.weight", "down0.conv1.weight",
                                            "class_token", "input.weight", "layers.weight_ih_l0"});
    CHECK(settings_of(nlohmann::json::object()).model->name == "cnn");
}
