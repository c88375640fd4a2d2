#include "trainer/models/networks/models.hpp"

#include <ATen/ATen.h>

#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/data/task.hpp"
#include "trainer/models/model.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

TEST_CASE("an mlp treats inputs of any shape as a row of numbers") {
    const Settings settings = settings_of({{"model", "mlp"}, {"width", 7}, {"depth", 3}, {"dropout", 0.5}});

    const auto model = settings.model->make({.input_shape = {2, 5}, .target_shape = {}, .num_outputs = 3});

    CHECK(model->forward(at::randn({6, 2, 5})).sizes() == at::IntArrayRef({6, 3}));
    CHECK(model->named_parameters()["hidden1.weight"].sizes() == at::IntArrayRef({7, 10}));
    CHECK(model->named_parameters()["hidden3.weight"].sizes() == at::IntArrayRef({7, 7}));
    CHECK(model->drops_units());
}

TEST_CASE("an mlp without hidden layers is linear and has no units to drop") {
    const Settings settings = settings_of({{"model", "mlp"}, {"depth", 0}, {"dropout", 0.5}});

    const auto model = settings.model->make({.input_shape = {4}, .target_shape = {}, .num_outputs = 3});

    CHECK(model->parameters().size() == 2);
    CHECK_FALSE(model->drops_units());
}
