#include "trainer/optimizers/per_parameter.hpp"

#include "tests/trainer/optimizers/reference.hpp"

using namespace crescendo::trainer::test;

TEST_CASE("the ratio of two numbers is 1 if one of them is zero") {
    const auto ratio = [](double a, double b) {
        return crescendo::trainer::trust_ratio(at::scalar_tensor(a), at::scalar_tensor(b)).item<double>();
    };

    CHECK(ratio(6, 3) == 2);
    CHECK(ratio(0, 3) == 1);
    CHECK(ratio(6, 0) == 1);
    CHECK(ratio(0, 0) == 1);
}

TEST_CASE("a parameter without a gradient and its state are unchanged") {
    Trained lamb("lamb");
    lamb.step(1);
    const at::Tensor weight = lamb.parameters[0].tensor.clone();
    const at::Tensor mean = lamb.optimizer->state()[0].tensor.clone();

    lamb.parameters[0].tensor.mutable_grad().reset();
    lamb.optimizer->step(0.1);

    CHECK(at::equal(lamb.parameters[0].tensor, weight));
    CHECK(at::equal(lamb.optimizer->state()[0].tensor, mean));
    CHECK(lamb.optimizer->num_steps() == 2);
}
