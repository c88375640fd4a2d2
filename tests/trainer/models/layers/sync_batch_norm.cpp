#include "trainer/models/layers/sync_batch_norm.hpp"

#include <ATen/ATen.h>
#include <torch/nn/modules/batchnorm.h>

#include <numeric>
#include <vector>

#include "tests/trainer/local_group.hpp"
#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

constexpr std::int64_t num_channels = 3;

SumOverGroup sum_over(const Group& group) {
    return [&](at::Tensor& numbers) { group.sum(numbers); };
}

/// The outputs of a norm for some samples, and its gradients, given the gradient `dy` of the outputs.
struct Outcome {
    at::Tensor y, dx, of_weight, of_bias;
};

template <class Norm>
Outcome outcome(Norm& norm, const at::Tensor& samples, const at::Tensor& dy) {
    const at::Tensor x = samples.detach().clone().requires_grad_();
    const at::Tensor y = norm.forward(x);
    y.backward(dy);
    return {y.detach(), x.grad(), norm.weight.grad(), norm.bias.grad()};
}

/// Samples whose mean and variance are far from zero and one, and differ between channels.
at::Tensor samples_of(std::vector<std::int64_t> shape, at::ScalarType type) {
    std::vector<std::int64_t> of_channels(shape.size(), 1);
    of_channels[1] = num_channels;
    const at::Tensor channels = at::arange(1, num_channels + 1, type).view(of_channels);
    return at::randn(shape, type) * channels + 10 * channels;
}

template <class Norm>
void set_scales(Norm& norm, at::ScalarType type) {
    norm.to(type);
    norm.weight.set_data(at::arange(2, 2 + num_channels, type));
    norm.bias.set_data(at::arange(num_channels, type));
}

}  // namespace

TEST_CASE("without a group a synchronised norm matches torch's bit for bit") {
    at::manual_seed(1);
    SyncBatchNorm norm(num_channels);
    torch::nn::BatchNorm2dImpl torchs(num_channels);
    set_scales(norm, at::kFloat);
    set_scales(torchs, at::kFloat);
    const at::Tensor x = samples_of({6, num_channels, 4, 5}, at::kFloat);
    const at::Tensor dy = at::randn_like(x);

    for (const bool training : {true, false}) {
        norm.train(training);
        torchs.train(training);
        const Outcome a = outcome(norm, x, dy);
        const Outcome b = outcome(torchs, x, dy);
        CHECK(at::equal(a.y, b.y));
        CHECK(at::equal(a.dx, b.dx));
        CHECK(at::equal(a.of_weight, b.of_weight));
        CHECK(at::equal(a.of_bias, b.of_bias));
    }
    CHECK(at::equal(norm.running_var, torchs.running_var));
    CHECK(norm.named_buffers().keys() == torchs.named_buffers().keys());
    CHECK(norm.named_parameters().keys() == torchs.named_parameters().keys());
}

TEST_CASE("members with unequal or empty slices normalise like one worker with all samples") {
    at::manual_seed(1);
    const auto device = make_cpu_device();
    for (const std::vector<std::int64_t>& slices : std::vector<std::vector<std::int64_t>>{{4, 4}, {7, 1}, {0, 5, 3}}) {
        for (const bool has_images : {true, false}) {
            for (const auto& [type, tolerance] : {std::pair{at::kDouble, 1e-10}, {at::kFloat, 2e-4}}) {
                CAPTURE(slices.size());
                CAPTURE(has_images);
                CAPTURE(tolerance);
                at::Tensor x = samples_of(has_images ? std::vector<std::int64_t>{8, num_channels, 4, 5}
                                                     : std::vector<std::int64_t>{8, num_channels},
                                          type);
                if (has_images) {
                    x = x.contiguous(at::MemoryFormat::ChannelsLast);
                }
                const at::Tensor dy = at::randn_like(x);
                torch::nn::BatchNorm2dImpl whole(num_channels);
                torch::nn::BatchNorm1dImpl rows(num_channels);
                set_scales(whole, type);
                set_scales(rows, type);
                const Outcome one = has_images ? outcome(whole, x, dy) : outcome(rows, x, dy);
                const at::Tensor running_mean = has_images ? whole.running_mean : rows.running_mean;
                const at::Tensor running_var = has_images ? whole.running_var : rows.running_var;

                std::vector<Outcome> parts(slices.size());
                std::vector<std::vector<at::Tensor>> buffers(slices.size());
                in_group(static_cast<int>(slices.size()), *device, [&, type = type](const Group& group) {
                    const auto rank = static_cast<std::size_t>(group.rank());
                    const auto begin = std::accumulate(slices.begin(), slices.begin() + group.rank(), std::int64_t{0});
                    SyncBatchNorm norm(num_channels);
                    set_scales(norm, type);
                    norm.set_group(sum_over(group));
                    parts[rank] = outcome(norm, x.narrow(0, begin, slices[rank]), dy.narrow(0, begin, slices[rank]));
                    buffers[rank] = norm.buffers();
                });

                const auto together = [&](auto Outcome::*field) {
                    std::vector<at::Tensor> all;
                    for (const auto& part : parts) {
                        all.push_back(part.*field);
                    }
                    return all;
                };
                const auto close = [&, tolerance = tolerance](const at::Tensor& a, const at::Tensor& b) {
                    return at::allclose(a, b, /*rtol=*/tolerance, /*atol=*/tolerance);
                };
                CHECK(close(at::cat(together(&Outcome::y)), one.y));
                CHECK(close(at::cat(together(&Outcome::dx)), one.dx));
                CHECK(close(at::stack(together(&Outcome::of_weight)).sum(0), one.of_weight));
                CHECK(close(at::stack(together(&Outcome::of_bias)).sum(0), one.of_bias));
                for (const auto& of_member : buffers) {
                    CHECK(close(of_member[0], running_mean));
                    CHECK(close(of_member[1], running_var));
                    CHECK(of_member[2].item<std::int64_t>() == 1);
                    CHECK(at::equal(of_member[0], buffers[0][0]));
                    CHECK(at::equal(of_member[1], buffers[0][1]));
                }
            }
        }
    }
}

TEST_CASE("a round without samples in any member does not change the norm") {
    const auto device = make_cpu_device();

    in_group(2, *device, [&](const Group& group) {
        SyncBatchNorm norm(num_channels);
        norm.set_group(sum_over(group));
        const at::Tensor none = at::empty({0, num_channels, 4, 5});
        const Outcome nothing = outcome(norm, none, none);
        CHECK(nothing.y.sizes() == none.sizes());
        CHECK(nothing.dx.sizes() == none.sizes());
        CHECK(at::equal(nothing.of_weight, at::zeros({num_channels})));
        CHECK(at::equal(norm.running_mean, at::zeros({num_channels})));
        CHECK(at::equal(norm.running_var, at::ones({num_channels})));
        CHECK(norm.num_batches_tracked.item<std::int64_t>() == 0);
    });
}

TEST_CASE("a single value in the whole group is normalised by the running statistics without updating them") {
    const auto device = make_cpu_device();
    const auto values = [](std::int64_t samples) { return at::full({samples, num_channels, 1, 1}, 6.0F); };
    const auto learned = [](const SumOverGroup& sum) {
        auto norm = std::make_shared<SyncBatchNorm>(num_channels);
        norm->running_mean.fill_(2);
        norm->running_var.fill_(4);
        norm->set_group(sum);
        return norm;
    };
    const Outcome one = outcome(*learned({}), values(1), at::ones({1, num_channels, 1, 1}));

    in_group(2, *device, [&](const Group& group) {
        const std::int64_t samples = group.rank();
        const auto norm = learned(sum_over(group));
        const Outcome here = outcome(*norm, values(samples), at::ones({samples, num_channels, 1, 1}));

        if (samples == 1) {
            CHECK(at::allclose(here.y, one.y));
            CHECK(at::allclose(here.dx, one.dx));
            CHECK(at::allclose(here.of_weight, one.of_weight));
        }
        CHECK(at::equal(norm->running_mean, at::full({num_channels}, 2.0F)));
        CHECK(at::equal(norm->running_var, at::full({num_channels}, 4.0F)));
        CHECK(norm->num_batches_tracked.item<std::int64_t>() == 0);
    });
}

TEST_CASE("norms use the statistics of a group only while they belong to it") {
    torch::nn::Module network;
    const auto outer = network.register_module("outer", std::make_shared<torch::nn::Module>());
    const auto norm = outer->register_module("norm", std::make_shared<SyncBatchNorm>(num_channels));
    network.register_module("other", torch::nn::BatchNorm2d(num_channels));
    int num_sums = 0;
    const auto norms = synchronized_norms(network);
    CHECK(norms.size() == 1);

    {
        const NormsInGroup joined(norms, [&](at::Tensor&) { ++num_sums; });
        norm->forward(at::randn({2, num_channels, 4, 5}));
        CHECK(num_sums == 1);
        norm->eval();
        norm->forward(at::randn({2, num_channels, 4, 5}));
        CHECK(num_sums == 1);
        norm->train();
    }
    norm->forward(at::randn({2, num_channels, 4, 5}));
    CHECK(num_sums == 1);
}
