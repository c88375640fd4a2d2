#include "trainer/models/networks/models.hpp"

#include <ATen/ATen.h>

#include "tests/trainer/num_parameters.hpp"
#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/data/task.hpp"
#include "trainer/models/model.hpp"
#include "trainer/settings/model_spec.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

TEST_CASE("a transformer has the number of parameters of torch's layers plus positions, inputs and outputs") {
    const auto model = settings_of({{"model", "transformer"}, {"width", 32}, {"depth", 2}})
                           .model->make({.input_shape = {20, 9}, .target_shape = {}, .num_outputs = 5});

    // torch.nn.TransformerEncoderLayer(32, 4, 128) has 12,704 parameters; a norm follows the last layer.
    CHECK(num_parameters(*model) == 2 * 12'704 + 2 * 32 + 20 * 32 + (9 * 32 + 32) + (32 * 5 + 5));
    CHECK(model->forward(at::randn({7, 20, 9})).sizes() == at::IntArrayRef({7, 5}));
}
