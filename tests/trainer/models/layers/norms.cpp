#include "trainer/models/layers/norms.hpp"

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;

TEST_CASE("a norm is registered under its name, and `none` registers no module") {
    for (const auto& [norm, word] : norms) {
        CAPTURE(word);
        torch::nn::Module parent;
        ChannelNorm normalize(parent, "bn1", norm, /*channels=*/12);
        const at::Tensor x = 3 + at::randn({4, 12, 5, 5});

        const at::Tensor y = normalize(x);

        CHECK(parent.named_parameters().contains("bn1.weight") == (norm != Norm::none));
        CHECK(parent.named_buffers().contains("bn1.running_var") == (norm == Norm::batch || norm == Norm::sync_batch));
        CHECK((y.mean().abs().item<double>() < 1e-5) == (norm != Norm::none));
    }
}

TEST_CASE("a group norm normalises groups of channels of one sample, and the number of groups divides eight") {
    torch::nn::Module parent;
    ChannelNorm normalize(parent, "norm", Norm::group, /*channels=*/12);
    const at::Tensor x = at::randn({2, 12, 5, 5});

    const at::Tensor groups = x.view({2, 4, 3 * 5 * 5});  // gcd(12, 8)
    const at::Tensor centred = groups - groups.mean(2, /*keepdim=*/true);
    const at::Tensor expected = centred / (centred.square().mean(2, /*keepdim=*/true) + 1e-5).sqrt();
    CHECK(at::allclose(normalize(x), expected.view_as(x), /*rtol=*/1e-4, /*atol=*/1e-5));
}
