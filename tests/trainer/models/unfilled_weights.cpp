#include "trainer/models/unfilled_weights.hpp"

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>

#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/data/task.hpp"
#include "trainer/models/initialization.hpp"
#include "trainer/models/model.hpp"
#include "trainer/settings/model_spec.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

const Task images{.input_shape = {3, 32, 32}, .target_shape = {}, .num_outputs = 5};

}  // namespace

TEST_CASE("models draw no random numbers while weights are left unfilled") {
    for (const char* name : {"cnn", "mlp", "autoencoder", "resnet18", "unet", "vit", "lstm"}) {
        CAPTURE(name);
        const Settings settings = settings_of({{"model", name}});
        Task task = images;
        if (std::string(name) == "lstm") {
            task.input_shape = {8, 3};
        } else if (std::string(name) == "autoencoder" || std::string(name) == "unet") {
            task.target_shape = {3, 32, 32};
            task.num_outputs = 3 * 32 * 32;
        }
        at::manual_seed(1);
        const auto expected = at::rand({4});
        at::manual_seed(1);
        {
            const UnfilledWeights unfilled;
            const auto model = settings.model->make(task);
            initialize(*model, Initialization::kaiming);
            CHECK(!model->parameters().empty());
        }
        CHECK(at::equal(at::rand({4}), expected));
    }
}

TEST_CASE("random fills leave tensors unchanged, and other operations work as usual") {
    at::Tensor held = at::ones({3});
    {
        const UnfilledWeights unfilled;
        held.uniform_(5, 6);
        held.normal_(5, 6);
        CHECK(at::equal(held, at::ones({3})));
        held.mul_(2).fill_(7);
    }
    CHECK(at::equal(held, at::full({3}, 7)));
    held.uniform_(8, 9);
    CHECK(held.min().item<double>() >= 8);
}
