#include "trainer/training/moving_averages.hpp"

#include <ATen/ATen.h>

#include <limits>

#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;

namespace {

double number_of(const at::Tensor& tensor) { return tensor.item<double>(); }

}  // namespace

TEST_CASE("an average has a shorter memory in the first updates and then the given decay") {
    const at::Tensor weight = at::zeros({1}).requires_grad_();
    MovingAverages averages;
    CHECK(averages.empty());
    averages.begin({{"weight", weight}});
    weight.detach().fill_(1);

    averages.update(/*decay=*/0.9, /*num_updates=*/1, {});
    CHECK(number_of(averages.tensors()[0]) == doctest::Approx(1 - 2.0 / 11));
    averages.update(/*decay=*/0.9, /*num_updates=*/1000, {});

    CHECK(number_of(averages.tensors()[0]) == doctest::Approx(1 - 2.0 / 11 * 0.9));
    CHECK(averages.named()[0].name == "weight");
    CHECK(number_of(weight) == 1);
}

TEST_CASE("an optimizer's evaluation weights are averaged instead of the parameters, and counters have no average") {
    const at::Tensor weight = at::zeros({1}).requires_grad_();
    const at::Tensor mean = at::zeros({1});
    MovingAverages averages;
    averages.begin({{"weight", weight}, {"mean", mean}, {"batches", at::zeros({}, at::kLong)}});
    mean.fill_(2);

    averages.update(/*decay=*/0.5, /*num_updates=*/1000, {at::full({1}, 4.0)});

    REQUIRE(averages.tensors().size() == 2);
    CHECK(number_of(averages.tensors()[0]) == 2);
    CHECK(number_of(averages.tensors()[1]) == 1);
}

TEST_CASE("the moving average of a mask is the mask, and an average restarts from a number that was infinite") {
    const at::Tensor mask = at::tensor({0.0F, -std::numeric_limits<float>::infinity()});
    MovingAverages averages;
    averages.begin({{"mask", mask}});

    averages.update(/*decay=*/0.9, /*num_updates=*/100, {});
    CHECK(at::equal(averages.tensors()[0], mask));
    mask.fill_(2);
    averages.update(/*decay=*/0.9, /*num_updates=*/101, {});

    CHECK(averages.tensors()[0][1].item<double>() == 2);
}
