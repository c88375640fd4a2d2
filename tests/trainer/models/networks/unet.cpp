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

namespace {

std::shared_ptr<Model> network(Json settings, std::vector<std::int64_t> inputs, std::vector<std::int64_t> targets) {
    settings["model"] = "unet";
    return settings_of(settings).model->make(
        {.kind = Task::Kind::regression, .input_shape = std::move(inputs), .target_shape = std::move(targets)});
}

}  // namespace

TEST_CASE("a unet has the number of parameters of the paper's with norms, transposed convolutions and padding") {
    const auto model = network({{"width", 64}, {"depth", 4}}, {3, 32, 32}, {2, 32, 32});

    CHECK(num_parameters(*model) ==
          31'037'698);  // the count of github.com/milesial/Pytorch-UNet for three channels and two classes
}

TEST_CASE("a unet lets fine detail bypass the code, whatever its norm") {
    for (const char* norm : {"batch", "group", "none"}) {
        CAPTURE(norm);
        at::manual_seed(1);  // the default seed differs between processes, and with few channels all may be dead
        const auto model = network({{"width", 4}, {"norm", norm}}, {8, 12}, {2, 8, 12});
        const at::Tensor field = at::randn({3, 8, 12});
        at::Tensor other = field.clone();
        other[0][5][7] += 1;

        model->eval();
        const at::Tensor outputs = model->forward(field);

        CHECK(outputs.sizes() == at::IntArrayRef({3, 2 * 8 * 12}));
        CHECK_FALSE(at::equal(model->forward(other)[0], outputs[0]));
        CHECK(model->named_buffers().is_empty() == (norm != std::string("batch")));
    }
}

TEST_CASE("a unet needs targets that are fields and sides that can be halved") {
    const SweepFixture sweep;
    Json settings = small_autoencoder(write_waves(sweep.folder / "waves.h5", "train", 8, 1));
    settings.update({{"model", "unet"}, {"width", 2}, {"depth", 3}});
    const auto key_of = [](const Json& of) {
        const auto problems = check_settings({{"settings", of}}, catalogue_with_normed());
        return problems.empty() ? std::string() : problems[0].key;
    };
    Json too_deep = settings;
    too_deep["depth"] = 4;
    Json classes = settings;
    classes["data"]["train"] = sweep.train;

    CHECK(key_of(settings).empty());
    CHECK(key_of(too_deep) == "trainer.depth");
    CHECK(key_of(classes) == "trainer.data.train");
}
