#include "trainer/step/sharpness.hpp"

#include <ATen/ATen.h>

#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;

TEST_CASE("parameters move along their gradients by a total distance") {
    const at::Tensor three = at::zeros({1}).requires_grad_();
    const at::Tensor four = at::ones({2}).requires_grad_();
    three.mutable_grad() = at::full({1}, 3.0);
    four.mutable_grad() = at::tensor({0.0F, -4.0F});

    climb({three, four}, /*distance=*/0.5);

    CHECK(at::allclose(three, at::full({1}, 0.3)));
    CHECK(at::allclose(four, at::tensor({1.0F, 0.6F})));
    CHECK(three.requires_grad());
    CHECK(three.grad().item<float>() == 3.0F);
}

TEST_CASE("parameters with zero gradients do not move") {
    const at::Tensor parameter = at::ones({2}).requires_grad_();
    parameter.mutable_grad() = at::zeros({2});

    climb({parameter}, 0.5);

    CHECK(at::equal(parameter, at::ones({2})));
}
