#include "trainer/models/layers/pooling.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>

#include <functional>
#include <limits>
#include <vector>

#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;

namespace {

using Pool = std::function<at::Tensor(const at::Tensor&)>;

at::Tensor torch_max_pool(const at::Tensor& images) { return at::max_pool2d(images, 2); }
at::Tensor torch_max_pool_relu(const at::Tensor& images) { return at::relu(torch_max_pool(images)); }

struct Pair {
    Pool ours, torch;
};

const std::vector<Pair> pairs{{max_pool, torch_max_pool}, {max_pool_relu, torch_max_pool_relu}};

struct Outcome {
    at::Tensor results, gradient;
};

/// The results of pool(images), and the gradient of the images, given the gradient of the results.
Outcome outcome(const Pool& pool, const at::Tensor& images, const at::Tensor& gradient) {
    const at::Tensor leaf = images.detach().requires_grad_();
    const at::Tensor results = pool(leaf);
    results.backward(gradient);
    return {results.detach(), leaf.grad()};
}

at::Tensor bits(const at::Tensor& x) { return x.flatten().contiguous().view(at::kByte); }

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
    const auto format = at::MemoryFormat::ChannelsLast;
    return a.sizes() == b.sizes() && a.dtype() == b.dtype() && a.is_contiguous(format) == b.is_contiguous(format) &&
           at::equal(bits(a), bits(b));
}

/// Compares results and gradients with torch's. The gradients of the results include negative zeros.
void check_bits(const at::Tensor& images) {
    for (const auto& [ours, torch] : pairs) {
        at::Tensor gradient = at::randn_like(torch(images));
        gradient = at::where(gradient < -1, at::full_like(gradient, -0.0), gradient);

        const Outcome mine = outcome(ours, images, gradient), theirs = outcome(torch, images, gradient);

        CHECK(same_bits(mine.results, theirs.results));
        CHECK(same_bits(mine.gradient, theirs.gradient));
    }
}

at::Tensor channels_last(const at::Tensor& images) { return images.contiguous(at::MemoryFormat::ChannelsLast); }

/// Whether the results come from our loops, not from torch's.
bool is_ours(const at::Tensor& results) { return results.grad_fn()->name().find("MaxPool2D") == std::string::npos; }

}  // namespace

TEST_CASE("pooling matches torch bit for bit, forward and backward, for any shape") {
    at::manual_seed(1);

    for (const auto& shape : {std::vector<std::int64_t>{1, 2, 2, 2},
                              {3, 3, 5, 4},
                              {2, 5, 4, 7},
                              {5, 7, 9, 9},
                              {2, 8, 2, 3},
                              {4, 16, 28, 28},
                              {1, 17, 3, 2},
                              {3, 24, 6, 6},
                              {2, 31, 7, 5},
                              {2, 32, 14, 14},
                              {1, 64, 7, 7},
                              {2, 1, 6, 6}}) {
        CAPTURE(shape);
        check_bits(channels_last(at::randn(shape)));
    }
}

TEST_CASE("pooling matches torch bit for bit for ties, zeros of either sign, NaN and infinity") {
    at::manual_seed(1);
    const float infinity = std::numeric_limits<float>::infinity();
    const at::Tensor values =
        at::tensor({0.0f, -0.0f, 1.0f, -1.0f, std::nanf(""), -std::nanf(""), infinity, -infinity});

    // All 8^4 = 4,096 ways to fill 2x2 places: the four base-8 digits of a number select the values.
    const at::Tensor numbers = at::arange(4096).view({16, 1, 16, 16});
    const at::Tensor digits = numbers.bitwise_right_shift(3 * at::arange(4).view({4, 1, 1})).remainder(8);
    check_bits(channels_last(at::pixel_shuffle(values.index({digits}).view({1, 64, 16, 16}), 2)));
    for (const double all : {0.0, -0.0, -1.0, static_cast<double>(-infinity)}) {
        check_bits(channels_last(at::full({2, 16, 4, 4}, all, at::kFloat)));
    }
}

TEST_CASE("tensors that are not channels last or not float32 are left to torch") {
    at::manual_seed(1);
    const at::Tensor images = at::randn({2, 16, 6, 6});

    check_bits(images);
    check_bits(channels_last(images).slice(1, 0, 8));
    check_bits(channels_last(images).slice(2, 0, 6, 2));
    check_bits(channels_last(images).to(at::kDouble));
    check_bits(channels_last(images).to(at::kBFloat16));
    check_bits(images.select(0, 0));
    CHECK(is_ours(max_pool(channels_last(images).requires_grad_())));
    CHECK_FALSE(is_ours(max_pool(images.clone().requires_grad_())));
    CHECK(max_pool(channels_last(at::randn({0, 16, 6, 6}))).sizes() == at::IntArrayRef({0, 16, 3, 3}));
    CHECK_THROWS(max_pool(channels_last(at::randn({2, 16, 1, 6}))));
}

TEST_CASE("gradients that are not channels last are accepted, too") {
    at::manual_seed(1);
    const at::Tensor images = channels_last(at::randn({3, 16, 6, 6})), gradient = at::randn({3, 16, 3, 3});

    CHECK(same_bits(outcome(max_pool_relu, images, gradient).gradient,
                    outcome(torch_max_pool_relu, images, gradient).gradient));
}

TEST_CASE("pooling gives the same bits with any number of threads") {
    at::manual_seed(1);
    // More values than torch assigns to one thread.
    const at::Tensor images = channels_last(at::randn({16, 32, 28, 28})), gradient = at::randn({16, 32, 14, 14});
    const int threads = at::get_num_threads();

    at::set_num_threads(1);
    const Outcome one = outcome(max_pool_relu, images, gradient);
    at::set_num_threads(2);
    const Outcome two = outcome(max_pool_relu, images, gradient);
    at::set_num_threads(threads);

    CHECK(same_bits(one.results, two.results));
    CHECK(same_bits(one.gradient, two.gradient));
}

TEST_CASE("a second derivative of pooling is refused, not treated as zero") {
    const at::Tensor images = channels_last(at::randn({1, 4, 2, 2})).requires_grad_();
    const at::Tensor sum = max_pool(images).square().sum();

    CHECK_THROWS_WITH_AS(
        torch::autograd::grad({sum}, {images}, /*grad_outputs=*/{}, /*retain_graph=*/true, /*create_graph=*/true),
        doctest::Contains("no second derivative"), c10::NotImplementedError);
}
