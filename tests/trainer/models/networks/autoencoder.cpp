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

namespace {

using Shape = std::vector<std::int64_t>;

std::shared_ptr<Model> make_autoencoder(const Shape& inputs, const Shape& targets, std::int64_t depth) {
    Task task{.kind = Task::Kind::regression, .input_shape = inputs, .target_shape = targets};
    return settings_of({{"model", "autoencoder"}, {"width", 4}, {"depth", depth}, {"latent", 3}, {"dropout", 0.5}})
        .model->make(task);
}

std::vector<Problem> problems_of_autoencoder(const Json& settings) {
    return check_settings({{"settings", settings}}, catalogue_with_normed());
}

}  // namespace

TEST_CASE("an autoencoder takes fields of any channels, height and width and returns the shape of its targets") {
    const auto square = make_autoencoder({2, 8, 8}, {2, 8, 8}, 3);
    const auto oblong = make_autoencoder({12, 20}, {5, 12, 20}, 2);
    const auto grey = make_autoencoder({3, 4, 2}, {4, 2}, 1);

    CHECK(square->forward(at::randn({6, 2, 8, 8})).sizes() == at::IntArrayRef({6, 2 * 8 * 8}));
    CHECK(oblong->forward(at::randn({6, 12, 20})).sizes() == at::IntArrayRef({6, 5 * 12 * 20}));
    CHECK(grey->forward(at::randn({6, 3, 4, 2})).sizes() == at::IntArrayRef({6, 4 * 2}));
}

TEST_CASE("all information that an autoencoder has about a sample passes through its code") {
    const auto model = make_autoencoder({1, 8, 8}, {1, 8, 8}, 2);
    for (const auto& parameter : model->named_parameters()) {
        if (parameter.key() == "code.weight") {
            parameter.value().detach().zero_();
        }
    }

    const at::Tensor outputs = model->forward(at::randn({2, 1, 8, 8}));

    CHECK(at::equal(outputs[0], outputs[1]));
    CHECK(model->named_parameters()["code.weight"].sizes() == at::IntArrayRef({3, 8, 1, 1}));
}

TEST_CASE("an autoencoder's outputs are ordered like the targets, channel by channel and row by row") {
    const auto model = make_autoencoder({1, 4, 4}, {2, 4, 4}, 1);
    for (const auto& parameter : model->named_parameters()) {
        parameter.value().detach().zero_();
    }
    model->named_parameters()["up1.bias"].detach()[1].fill_(7);

    const at::Tensor output = model->forward(at::randn({1, 1, 4, 4}))[0];

    CHECK(output.slice(0, 0, 16).eq(0).all().item<bool>());
    CHECK(output.slice(0, 16, 32).eq(7).all().item<bool>());
}

TEST_CASE("an autoencoder needs sides that can be halved, but does not need targets") {
    const SweepFixture sweep;
    const auto waves = without_targets(write_waves(sweep.folder / "waves.h5", "train", 8, 1));
    const auto others = write_waves(sweep.folder / "others.h5", "train", 8, 2);
    Json too_deep = small_autoencoder(waves);
    too_deep["depth"] = 4;

    CHECK(problems_of_autoencoder(small_autoencoder(waves, waves)).empty());
    CHECK(problems_of_autoencoder(small_autoencoder(sweep.train, sweep.validation)).empty());
    const auto unlike = problems_of_autoencoder(small_autoencoder(waves, others));
    REQUIRE(unlike.size() == 1);
    CHECK(unlike[0].key == "trainer.data.validation");
    const auto problems = problems_of_autoencoder(too_deep);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].key == "trainer.depth");
    CHECK(problems[0].message.find("use at most 3, or pad them with `data.pad: [16, 16]`") != std::string::npos);
    too_deep["data"]["pad"] = {16, 16};
    CHECK(problems_of_autoencoder(too_deep).empty());
}
