#include "trainer/profile/flop_counter.hpp"

#include <ATen/ATen.h>
#include <torch/nn/modules/rnn.h>

#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/data/task.hpp"
#include "trainer/models/model.hpp"
#include "trainer/settings/model_spec.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

template <class Work>
double flop_of(Work&& work) {
    const FlopCounter counter;
    work();
    return counter.flop();
}

at::Tensor parameter(std::vector<std::int64_t> shape) { return at::randn(shape).set_requires_grad(true); }

/// The multiply-add operations, in billions, of one forward pass for a color image or a video, as listed by
/// torchvision.
double gmac(const nlohmann::json& settings) {
    const std::string name = settings["model"];
    const bool video = name.starts_with("r3d") || name.starts_with("r2plus1d");
    const auto shape = video ? std::vector<std::int64_t>{16, 3, 112, 112} : std::vector<std::int64_t>{3, 224, 224};
    const auto network = settings_of(settings).model->make(
        {.input_shape = shape, .target_shape = {}, .num_outputs = video ? 400 : 1000});
    network->eval();
    const at::Tensor sample = at::randn(shape).unsqueeze(0);
    return flop_of([&] { network->forward(sample); }) / 2e9;
}

}  // namespace

TEST_CASE("a multiplication and an addition count as two operations") {
    const at::Tensor a = at::randn({3, 4}), b = at::randn({4, 5}), bias = at::randn({5});

    CHECK(flop_of([&] { at::mm(a, b); }) == 2 * 3 * 4 * 5);
    CHECK(flop_of([&] { at::addmm(bias, a, b); }) == 2 * 3 * 4 * 5);
    CHECK(flop_of([&] { at::matmul(at::randn({7, 2, 3, 4}), at::randn({7, 2, 4, 5})); }) == 7 * 2 * 2 * 3 * 4 * 5);
    CHECK(flop_of([&] { at::linear(at::randn({7, 3, 4}), at::randn({5, 4}), bias); }) == 7 * 2 * 3 * 4 * 5);
    CHECK(flop_of([&] { at::relu(a) + a; }) == 0);
}

TEST_CASE("a convolution counts a product with its kernel for each output") {
    const at::Tensor images = at::randn({2, 6, 9, 9});
    const double per_channel = 2 * 5 * 5 * 3 * 3;  // outputs of 5 x 5, kernels of 3 x 3

    const auto whole = flop_of([&] { at::conv2d(images, at::randn({4, 6, 3, 3}), {}, 2, 1); });
    const auto groups = flop_of([&] { at::conv2d(images, at::randn({4, 3, 3, 3}), {}, 2, 1, 1, 2); });
    const auto transposed = flop_of([&] { at::conv_transpose2d(images, at::randn({6, 4, 2, 2}), {}, 2); });
    const auto video = flop_of([&] { at::conv3d(at::randn({1, 2, 4, 5, 5}), at::randn({3, 2, 1, 3, 3})); });

    CHECK(whole == 2 * per_channel * 4 * 6);
    CHECK(groups == 2 * per_channel * 4 * 3);
    CHECK(transposed == 2 * 2 * (9 * 9) * 6 * 4 * (2 * 2));
    CHECK(video == 2 * (4 * 3 * 3) * 3 * 2 * (3 * 3));
}

TEST_CASE("a backward pass counts a product for each operand that requires a gradient") {
    const at::Tensor x = at::randn({3, 4}), image = at::randn({2, 6, 9, 9});
    const at::Tensor first = parameter({4, 5}), second = parameter({5, 6}), kernel = parameter({4, 6, 3, 3});
    const double forward = flop_of([&] { at::conv2d(image, kernel); });

    CHECK(flop_of([&] { x.mm(first).mm(second).sum().backward(); }) == 2 * 2 * 3 * 4 * 5 + 3 * 2 * 3 * 5 * 6);
    CHECK(flop_of([&] { at::conv2d(image, kernel).sum().backward(); }) == 2 * forward);
}

TEST_CASE("attention counts the products for its scores and for its weighted means") {
    const auto make = [](std::int64_t n) { return parameter({2, 3, n, 8}); };
    const double products = 2.0 * (2 * 3 * 16 * 32) * (8 + 8);
    const auto attend = [&] { return at::scaled_dot_product_attention(make(16), make(32), make(32)); };

    CHECK(flop_of(attend) == products);
    const double both = flop_of([&] { attend().sum().backward(); });
    CHECK(both >= 3 * products);
    CHECK(both <= 3.5 * products);  // the scores are computed again
}

TEST_CASE("a recurrent layer counts the products of its gates") {
    torch::nn::LSTM layer(torch::nn::LSTMOptions(8, 16).batch_first(true));
    const double products = 2.0 * (3 * 10) * 4 * 16 * (8 + 16);  // 3 series of 10 steps
    const auto series = parameter({3, 10, 8});

    CHECK(flop_of([&] { layer(series); }) == products);
    CHECK(flop_of([&] { std::get<0>(layer(series)).sum().backward(); }) == 3 * products);
}

TEST_CASE("cuDNN's recurrent layers count the products of all of their gates") {
    const at::Tensor series = at::randn({10, 3, 8});  // 10 steps
    std::vector<at::Tensor> weights;
    for (const std::int64_t inputs : {8, 16}) {  // two layers of an LSTM
        for (const auto& shape : {std::vector<std::int64_t>{64, inputs}, {64, 16}, {64}, {64}}) {
            weights.push_back(at::randn(shape));
        }
    }
    const std::vector<c10::IValue> arguments{series, weights};
    const auto flop_of_call = [&](const char* name) {
        return flop_of(
            [&] { RECORD_FUNCTION(name, c10::ArrayRef<const c10::IValue>(arguments.data(), arguments.size())); });
    };
    const double products = 2.0 * (3 * 10) * 64 * (8 + 16 + 16 + 16);

    CHECK(flop_of_call("aten::_cudnn_rnn") == products);
    CHECK(flop_of_call("aten::_cudnn_rnn_backward") == 2 * products);
}

TEST_CASE("networks have the same number of operations as torchvision's") {
    const std::vector<std::pair<nlohmann::json, double>> published{
        {{{"model", "resnet18"}, {"stem", "large"}}, 1.814},
        {{{"model", "resnet34"}, {"stem", "large"}}, 3.664},
        {{{"model", "resnet50"}, {"stem", "large"}}, 4.089},
        {{{"model", "r3d"}, {"stem", "large"}, {"width", 64}}, 40.697},
        {{{"model", "r2plus1d"}, {"stem", "large"}, {"width", 64}}, 40.519},
        {{{"model", "vit"}, {"patch", 16}, {"width", 768}, {"depth", 12}, {"heads", 12}}, 17.564}};
    for (const auto& [settings, expected] : published) {
        CAPTURE(settings.dump());
        CHECK(gmac(settings) == doctest::Approx(expected).epsilon(0.001));
    }
}
