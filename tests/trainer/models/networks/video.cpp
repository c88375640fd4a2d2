#include "trainer/models/networks/models.hpp"

#include <ATen/ATen.h>

#include "tests/trainer/normed_model.hpp"
#include "tests/trainer/num_parameters.hpp"
#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/data/task.hpp"
#include "trainer/models/model.hpp"
#include "trainer/settings/model_spec.hpp"
#include "trainer/settings_check.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

std::shared_ptr<Model> network(const Json& settings, std::vector<std::int64_t> video, std::int64_t num_classes) {
    return settings_of(settings).model->make(
        {.input_shape = std::move(video), .target_shape = {}, .num_outputs = num_classes});
}

}  // namespace

TEST_CASE("video networks have the same parameter names and number of parameters as torchvision's") {
    const auto large = [](const char* name) {
        return network({{"model", name}, {"stem", "large"}, {"width", 64}}, {16, 3, 112, 112}, 400);
    };
    const auto r3d = large("r3d");
    const auto r2plus1d = large("r2plus1d");

    CHECK(num_parameters(*r3d) == 33'371'472);
    CHECK(num_parameters(*r2plus1d) == 31'505'325);
    CHECK(r3d->named_parameters()["layer2.0.conv1.0.weight"].sizes() == at::IntArrayRef({128, 64, 3, 3, 3}));
    CHECK(r3d->named_parameters().contains("layer4.0.downsample.0.weight"));
    CHECK(r2plus1d->named_parameters()["stem.3.weight"].sizes() == at::IntArrayRef({64, 45, 3, 1, 1}));
    CHECK(r2plus1d->named_parameters()["layer1.1.conv2.0.0.weight"].sizes() == at::IntArrayRef({144, 64, 1, 3, 3}));
    CHECK(r2plus1d->named_buffers().contains("layer1.1.conv2.0.1.running_var"));
}

TEST_CASE("the frames of a video may have channels or not, and their order matters") {
    for (const char* name : {"r3d", "r2plus1d"}) {
        CAPTURE(name);
        const Json settings{{"model", name}, {"width", 4}, {"depth", 1}};
        const auto grey = network(settings, {6, 8, 8}, 3);
        const auto color = network(settings, {6, 2, 8, 8}, 3);
        grey->eval();
        const at::Tensor video = at::randn({2, 6, 8, 8});

        const at::Tensor outputs = grey->forward(video);

        CHECK(outputs.sizes() == at::IntArrayRef({2, 3}));
        CHECK_FALSE(at::allclose(grey->forward(video.flip(1)), outputs));
        CHECK(color->forward(at::randn({2, 6, 2, 8, 8})).sizes() == at::IntArrayRef({2, 3}));
        CHECK(color->named_parameters()["stem.0.weight"].size(1) == 2);
    }
}

TEST_CASE("a video network needs frames") {
    const SweepFixture sweep;
    Json images = small_cnn(sweep.train);
    images.update({{"model", "r3d"}, {"width", 2}});
    Json windows = images;
    windows["data"]["window"] = {{"length", 3}};
    const auto problems_of = [](const Json& settings) {
        return check_settings({{"settings", settings}}, catalogue_with_normed());
    };

    CHECK(problems_of(windows).empty());
    REQUIRE(problems_of(images).size() == 1);
    CHECK(problems_of(images)[0].key == "trainer.data.train");
    CHECK(problems_of(images)[0].message.find("make windows of images with data.window") != std::string::npos);
}
