#include "trainer/models/layers/batch_norm.hpp"

#include <ATen/ATen.h>

#include <vector>

#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;

TEST_CASE("a batch norm matches torch's bit for bit") {
    at::manual_seed(1);
    for (const auto& shape :
         std::vector<std::vector<std::int64_t>>{{4, 3, 5, 6}, {4, 3, 2, 5, 6}, {2, 3}, {1, 3, 2, 1}}) {
        CAPTURE(shape.size());
        BatchNorm ours(3);
        torch::nn::BatchNorm1dImpl rows(3);
        torch::nn::BatchNorm2dImpl images(3);
        torch::nn::BatchNorm3dImpl videos(3);
        const at::Tensor x = 5 + at::randn(shape);
        const auto compare = [&](auto& torchs) {
            CHECK(at::equal(ours.forward(x), torchs.forward(x)));
            CHECK(at::equal(ours.running_mean, torchs.running_mean));
            CHECK(at::equal(ours.running_var, torchs.running_var));
            CHECK(ours.named_buffers().keys() == torchs.named_buffers().keys());
            CHECK(ours.named_parameters().keys() == torchs.named_parameters().keys());
            ours.eval();
            torchs.eval();
            CHECK(at::equal(ours.forward(x), torchs.forward(x)));
        };
        shape.size() == 2 ? compare(rows) : shape.size() == 4 ? compare(images) : compare(videos);
    }
}

TEST_CASE("a channel with a single value is normalised by the running statistics and does not update them") {
    BatchNorm norm(3);
    norm.running_mean.fill_(2);
    norm.running_var.fill_(4);
    const at::Tensor x = at::full({1, 3, 1, 1}, 6.0F).requires_grad_();

    const at::Tensor y = norm.forward(x);
    y.sum().backward();

    CHECK(at::allclose(y, at::full({1, 3, 1, 1}, 2.0F), /*rtol=*/1e-4));
    CHECK(at::allclose(x.grad(), at::full({1, 3, 1, 1}, 0.5F), /*rtol=*/1e-4));
    CHECK(norm.bias.grad().sum().item<float>() == 3.0F);
    CHECK(at::equal(norm.running_mean, at::full({3}, 2.0F)));
    CHECK(at::equal(norm.running_var, at::full({3}, 4.0F)));
    CHECK(norm.num_batches_tracked.item<std::int64_t>() == 0);
}
