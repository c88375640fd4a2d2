#include "trainer/models/networks/models.hpp"

#include <ATen/ATen.h>

#include "tests/trainer/normed_model.hpp"
#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/data/task.hpp"
#include "trainer/models/model.hpp"
#include "trainer/settings_check.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

TEST_CASE("a cnn halves the images and doubles the channels in each layer") {
    const Settings settings = settings_of({{"model", "cnn"}, {"width", 4}, {"depth", 2}});

    const auto model = settings.model->make({.input_shape = {3, 9, 12}, .target_shape = {}, .num_outputs = 5});

    CHECK(model->forward(at::randn({6, 3, 9, 12})).sizes() == at::IntArrayRef({6, 5}));
    const auto parameters = model->named_parameters();
    CHECK(parameters["conv2.weight"].sizes() == at::IntArrayRef({8, 4, 3, 3}));
    CHECK(parameters["hidden.weight"].sizes() == at::IntArrayRef({32, 8 * 2 * 3}));  // 9 x 12: 4 x 6, 2 x 3
}

TEST_CASE("a convolution with an odd kernel size keeps height and width, and an even size is refused") {
    for (const int kernel_size : {1, 5, 7}) {
        const Settings settings = settings_of({{"model", "cnn"}, {"width", 4}, {"kernel_size", kernel_size}});

        const auto model = settings.model->make({.input_shape = {8, 8}, .target_shape = {}, .num_outputs = 5});

        CHECK(model->named_parameters()["conv2.weight"].sizes() == at::IntArrayRef({8, 4, kernel_size, kernel_size}));
        CHECK(model->named_parameters()["hidden.weight"].size(1) == 8 * 2 * 2);
    }
    const SweepFixture sweep;
    Json settings = small_cnn(sweep.train, sweep.train);
    settings["kernel_size"] = 4;
    const auto problems = check_settings({{"settings", settings}}, catalogue_with_normed());
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].message == "4 is even; give 3 or 5");
}

TEST_CASE("a cnn needs the samples' keys only with dropout") {
    const Task task{.input_shape = {8, 8}, .target_shape = {}, .num_outputs = 4};

    CHECK_FALSE(settings_of({{"model", "cnn"}}).model->make(task)->drops_units());
    CHECK(settings_of({{"model", "cnn"}, {"dropout", 0.1}}).model->make(task)->drops_units());
}

TEST_CASE("a depth that is too large for the images is one problem, not one for each data set") {
    const SweepFixture sweep;
    Json settings = small_cnn(sweep.train, sweep.train);
    settings["depth"] = 4;  // 8 pixels: 4, 2, 1, 0

    const auto problems = check_settings({{"settings", settings}}, catalogue_with_normed());

    REQUIRE(problems.size() == 1);
    CHECK(problems[0].key == "trainer.depth");
    CHECK(problems[0].message.find("4 leaves nothing of the 8x8 inputs") == 0);
}
