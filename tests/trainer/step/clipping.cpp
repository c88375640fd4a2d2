#include "trainer/step/clipping.hpp"

#include <ATen/ATen.h>

#include <cmath>

#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;

namespace {

/// Two scalars with these gradients, and one without a gradient.
std::vector<at::Tensor> parameters(double first, double second) {
    std::vector<at::Tensor> all{at::zeros({1}), at::zeros({1}), at::zeros({1})};
    all[0].mutable_grad() = at::full({1}, first);
    all[1].mutable_grad() = at::full({1}, second);
    return all;
}

double gradient_of(const at::Tensor& parameter) { return parameter.grad().item<double>(); }

}  // namespace

TEST_CASE("all gradients are scaled down together to the norm, and short ones are unchanged") {
    const auto all = parameters(3.0, -4.0);

    clip_gradients(all, /*most_norm=*/10.0, /*most_value=*/0.0);
    CHECK(gradient_of(all[0]) == 3.0);
    clip_gradients(all, /*most_norm=*/1.0, /*most_value=*/0.0);

    CHECK(gradient_of(all[0]) == doctest::Approx(0.6).epsilon(1e-5));
    CHECK(gradient_of(all[1]) == doctest::Approx(-0.8).epsilon(1e-5));
    CHECK_FALSE(all[2].grad().defined());
}

TEST_CASE("elements of gradients are limited before the norm, and without limits nothing changes") {
    const auto free = parameters(3.0, -4.0);
    const auto limited = parameters(3.0, -0.5);
    const auto both = parameters(3.0, -4.0);

    clip_gradients(free, /*most_norm=*/0.0, /*most_value=*/0.0);
    clip_gradients(limited, /*most_norm=*/0.0, /*most_value=*/1.0);
    clip_gradients(both, /*most_norm=*/1.0, /*most_value=*/2.0);

    CHECK(gradient_of(free[1]) == -4.0);
    CHECK(gradient_of(limited[0]) == 1.0);
    CHECK(gradient_of(limited[1]) == -0.5);
    CHECK(gradient_of(both[0]) == doctest::Approx(std::sqrt(0.5)).epsilon(1e-5));
}
