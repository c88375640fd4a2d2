#include "trainer/models/networks/models.hpp"

#include <ATen/ATen.h>

#include "tests/trainer/num_parameters.hpp"
#include "tests/trainer/same_members.hpp"
#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/data/task.hpp"
#include "trainer/models/model.hpp"
#include "trainer/settings/model_spec.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

std::shared_ptr<Model> network(const Json& settings, std::int64_t num_classes) {
    return settings_of(settings).model->make(
        {.input_shape = {3, 32, 32}, .target_shape = {}, .num_outputs = num_classes});
}

}  // namespace

TEST_CASE("resnets have the same parameter names and number of parameters as torchvision's") {
    // The numbers of torchvision's documentation, for ImageNet.
    CHECK(num_parameters(*network({{"model", "resnet18"}, {"stem", "large"}}, 1000)) == 11'689'512);
    CHECK(num_parameters(*network({{"model", "resnet34"}, {"stem", "large"}}, 1000)) == 21'797'672);
    const auto resnet50 = network({{"model", "resnet50"}, {"stem", "large"}}, 1000);
    CHECK(num_parameters(*resnet50) == 25'557'032);
    const auto parameters = resnet50->named_parameters();
    CHECK(parameters["layer1.0.downsample.0.weight"].sizes() == at::IntArrayRef({256, 64, 1, 1}));
    CHECK(parameters["layer4.2.conv3.weight"].sizes() == at::IntArrayRef({2048, 512, 1, 1}));
    CHECK(parameters["fc.weight"].sizes() == at::IntArrayRef({1000, 2048}));
    CHECK(resnet50->named_buffers().contains("layer2.3.bn2.running_var"));
}

TEST_CASE("the small stem has a 3x3 convolution, and the large stem a 7x7 convolution") {
    const auto small = network({{"model", "resnet18"}, {"width", 4}}, 10);
    const auto large = network({{"model", "resnet18"}, {"width", 4}, {"stem", "large"}}, 10);

    CHECK(num_parameters(*network({{"model", "resnet18"}}, 10)) == 11'173'962);
    CHECK(small->named_parameters()["conv1.weight"].sizes() == at::IntArrayRef({4, 3, 3, 3}));
    CHECK(large->named_parameters()["conv1.weight"].sizes() == at::IntArrayRef({4, 3, 7, 7}));
    for (const auto& model : {small, large}) {
        CHECK(model->forward(at::randn({2, 3, 64, 64})).sizes() == at::IntArrayRef({2, 10}));
    }
}

TEST_CASE("a mid-epoch regroup with the same members leaves a resnet bit-identical") {
    for (const char* norm : {"batch", "sync_batch"}) {
        CAPTURE(norm);
        const SweepFixture sweep;

        const auto checkpoint = check_regroup_to_same_members(
            sweep, {0, 1}, {{"model", "resnet18"}, {"width", 2}, {"dropout", 0.2}, {"norm", norm}});

        CHECK(checkpoint.model.at("layer4.1.bn2.running_mean").abs().sum().item<double>() > 0);
    }
}
