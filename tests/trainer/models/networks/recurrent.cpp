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

namespace {

std::shared_ptr<Model> network(nlohmann::json settings, std::vector<std::int64_t> shape) {
    settings.update({{"width", 32}, {"depth", 2}});
    return settings_of(settings).model->make({.input_shape = std::move(shape), .target_shape = {}, .num_outputs = 5});
}

}  // namespace

TEST_CASE("recurrent networks have the number of parameters of torch's layers plus an output layer") {
    // torch.nn.LSTM(9, 32, 2), and so on.
    CHECK(num_parameters(*network({{"model", "lstm"}}, {20, 9})) == 13'952 + 5 * 32 + 5);
    CHECK(num_parameters(*network({{"model", "lstm"}, {"bidirectional", true}}, {20, 3, 3})) == 36'096 + 5 * 64 + 5);
    const auto gru = network({{"model", "gru"}}, {20, 9});
    CHECK(num_parameters(*gru) == 10'464 + 5 * 32 + 5);
    CHECK(gru->named_parameters()["layers.weight_hh_l1"].sizes() == at::IntArrayRef({3 * 32, 32}));
}

TEST_CASE("the outputs of a recurrent network depend on the whole series and its order") {
    for (const auto& settings : {nlohmann::json{{"model", "lstm"}}, {{"model", "gru"}, {"bidirectional", true}}}) {
        CAPTURE(settings.dump());
        const auto model = network(settings, {6});  // one number per time step
        const at::Tensor series = at::rand({3, 6});
        at::Tensor other = series.clone();
        other.select(1, 0).add_(1);

        const at::Tensor outputs = model->forward(series);

        CHECK(outputs.sizes() == at::IntArrayRef({3, 5}));
        CHECK_FALSE(at::allclose(model->forward(other), outputs));
        CHECK_FALSE(at::allclose(model->forward(series.flip(1)), outputs));
    }
}
