#include "trainer/models/layers/dropout.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <numeric>

using namespace crescendo::trainer;

namespace {

std::vector<std::int64_t> samples(std::int64_t count) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

/// 1 for each unit that is dropped, and 0 for the others.
at::Tensor dropped(Dropout dropout, const at::Tensor& keys, std::int64_t num_units) {
    return dropout(at::ones({keys.size(0), num_units}), keys).eq(0).to(at::kFloat);
}

double agreement(const at::Tensor& a, const at::Tensor& b) { return a.eq(b).to(at::kFloat).mean().item<double>(); }

}  // namespace

TEST_CASE("dropout drops the given share of units in every sample and scales up the rest") {
    const double share = 0.3;
    Dropout dropout(share, /*layer=*/0);

    const at::Tensor x = dropout(at::ones({1000, 1000}), dropout_keys(/*seed=*/1, /*epoch=*/0, samples(1000)));

    // Of 1,000 numbers, 300 are dropped, with a standard deviation of 14.5. The farthest of 1,000 such counts is within
    // 5 deviations.
    const at::Tensor mask = x.eq(0).to(at::kFloat);
    for (const std::int64_t axis : {0, 1}) {
        CHECK(mask.mean(axis).sub(share).abs().max().item<double>() < 5 * 0.0145);
    }
    CHECK(mask.mean().item<double>() == doctest::Approx(share).epsilon(0.01));
    CHECK(x.max().item<float>() == doctest::Approx(1 / 0.7));
    CHECK(dropout(x, at::Tensor()).is_same(x));
}

TEST_CASE("the units dropped for a sample depend on seed, epoch and layer, but not on the rest of its batch") {
    const Dropout dropout(0.5, /*layer=*/0);
    const auto mask = [&](std::uint64_t seed, std::int64_t epoch, const std::vector<std::int64_t>& numbers) {
        return dropped(dropout, dropout_keys(seed, epoch, numbers), 10'000);
    };
    const at::Tensor together = mask(1, 0, samples(8));

    CHECK(at::equal(mask(1, 0, {5, 2}), together.index_select(0, at::tensor({5, 2}))));
    // Independent masks agree in half of the units, with a standard deviation of 0.005.
    const at::Tensor sample = together[5];
    const at::Tensor key = dropout_keys(1, 0, {5});
    for (const at::Tensor& other : {together[2], mask(2, 0, {5})[0], mask(1, 1, {5})[0],
                                    dropped(Dropout(0.5, /*layer=*/1), key, 10'000)[0], sample.roll(1)}) {
        CHECK(agreement(sample, other) == doctest::Approx(0.5).epsilon(0.05));
    }
}

TEST_CASE("images drop the same units whatever their memory layout") {
    Dropout dropout(0.5, /*layer=*/0);
    const at::Tensor keys = dropout_keys(1, 0, samples(4));
    const at::Tensor images = at::ones({4, 3, 5, 2});

    CHECK(at::equal(dropout(images, keys), dropout(images.contiguous(at::MemoryFormat::ChannelsLast), keys)));
}
