#include "trainer/models/initialization.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/data/task.hpp"
#include "trainer/models/model.hpp"
#include "trainer/settings/model_spec.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

/// Two convolutions of 5x5: 3 → 64 → 128 channels.
std::shared_ptr<Model> cnn_with(Initialization initialization) {
    at::manual_seed(1);
    const Settings settings = settings_of({{"model", "cnn"}, {"width", 64}, {"kernel_size", 5}});
    auto model = settings.model->make({.input_shape = {3, 8, 8}, .target_shape = {}, .num_outputs = 5});
    initialize(*model, initialization);
    return model;
}

double spread(const Model& model, const char* name) {
    return model.named_parameters()[name].detach().std().item<double>();
}

}  // namespace

TEST_CASE("kaiming preserves the spread of the inputs, and xavier that of inputs and gradients") {
    // He et al., "Delving deep into rectifiers", ICCV 2015; Glorot and Bengio, AISTATS 2010.
    const auto kaiming = cnn_with(Initialization::kaiming);
    const auto xavier = cnn_with(Initialization::xavier);
    constexpr double points = 25;

    CHECK(spread(*kaiming, "conv2.weight") == doctest::Approx(std::sqrt(2 / (64 * points))).epsilon(0.02));
    CHECK(spread(*xavier, "conv2.weight") == doctest::Approx(std::sqrt(2 / ((64 + 128) * points))).epsilon(0.02));
    for (const auto& model : {kaiming, xavier}) {
        CHECK(model->named_parameters()["hidden.bias"].abs().sum().item<double>() == 0);
        CHECK(model->named_parameters()["conv2.weight"].sizes() == at::IntArrayRef({128, 64, 5, 5}));
    }
}

TEST_CASE("initialization zeroes the biases of recurrent layers and leaves category vectors alone") {
    const Settings recurrent = settings_of({{"model", "lstm"}, {"width", 4}});
    const auto lstm = recurrent.model->make({.input_shape = {8, 3}, .target_shape = {}, .num_outputs = 2});
    const Settings coded = settings_of({{"model", "mlp"}, {"categories", {{"0", 3}}}});
    const auto mlp = coded.model->make({.input_shape = {2}, .target_shape = {}, .num_outputs = 2});
    const at::Tensor vectors = mlp->named_parameters()["embedding0.weight"];
    const at::Tensor before = vectors.detach().clone();

    initialize(*lstm, Initialization::xavier);
    initialize(*mlp, Initialization::kaiming);

    for (const auto& parameter : lstm->named_parameters()) {
        if (parameter.key().find("bias") != std::string::npos) {
            CAPTURE(parameter.key());
            CHECK(parameter.value().abs().sum().item<double>() == 0);
        }
    }
    CHECK(at::equal(vectors, before));
}

TEST_CASE("torch's own initialization is left alone") {
    CHECK(cnn_with(Initialization::torch)->named_parameters()["hidden.bias"].abs().sum().item<double>() > 0);
}
