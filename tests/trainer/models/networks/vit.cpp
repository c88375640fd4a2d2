#include "trainer/models/networks/models.hpp"

#include <ATen/ATen.h>

#include "tests/trainer/normed_model.hpp"
#include "tests/trainer/num_parameters.hpp"
#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/data/task.hpp"
#include "trainer/models/model.hpp"
#include "trainer/settings_check.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

TEST_CASE("a vision transformer has the parameters of the paper under torchvision's names") {
    const Settings tiny = settings_of({{"model", "vit"}, {"width", 192}, {"depth", 12}, {"heads", 3}, {"patch", 16}});

    const auto model = tiny.model->make({.input_shape = {3, 224, 224}, .target_shape = {}, .num_outputs = 1000});

    CHECK(num_parameters(*model) == 5'717'416);  // ViT-Ti/16
    const auto parameters = model->named_parameters();
    CHECK(parameters["class_token"].sizes() == at::IntArrayRef({1, 1, 192}));
    CHECK(parameters["conv_proj.weight"].sizes() == at::IntArrayRef({192, 3, 16, 16}));
    CHECK(parameters["encoder.pos_embedding"].sizes() == at::IntArrayRef({1, 197, 192}));
    CHECK(parameters["encoder.layers.encoder_layer_11.self_attention.in_proj_weight"].size(0) == 3 * 192);
    CHECK(parameters["encoder.layers.encoder_layer_0.mlp.3.weight"].sizes() == at::IntArrayRef({192, 768}));
    CHECK(parameters["heads.head.weight"].size(0) == 1000);
}

TEST_CASE("patches that do not tile the images and heads that do not divide the width are reported with the key") {
    const SweepFixture sweep;
    Json settings = small_cnn(sweep.train, sweep.train);
    settings.update({{"model", "vit"}, {"width", 8}, {"heads", 2}});
    const auto key_of_problem = [&](const char* key, int value) {
        Json wrong = settings;
        wrong[key] = value;
        const auto problems = check_settings({{"settings", wrong}}, catalogue_with_normed());
        return problems.size() == 1 ? problems[0].key : std::to_string(problems.size()) + " problems";
    };

    CHECK(key_of_problem("patch", 4) == "0 problems");
    CHECK(key_of_problem("patch", 3) == "trainer.patch");
    CHECK(key_of_problem("heads", 3) == "trainer.heads");
}
