#include "trainer/optimizers/optimizers.hpp"

#include "tests/trainer/optimizers/trained.hpp"
#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer::test;

TEST_CASE("Adam and its kin keep two moments of each parameter") {
    for (const char* name : {"adam", "adamw", "lamb", "nadamw"}) {
        CAPTURE(name);
        Trained adam(name);

        adam.step(1);

        CHECK(adam.state_names() ==
              std::vector<std::string>{"weight/exp_avg", "weight/exp_avg_sq", "bias/exp_avg", "bias/exp_avg_sq"});
    }
}

TEST_CASE("AdamW decays weights independently of the gradient by default, but Adam does not") {
    Trained adam("adam");
    Trained adamw("adamw");
    for (Trained* each : {&adam, &adamw}) {
        each->parameters[1].tensor.mutable_grad() = at::zeros({2});
        each->parameters[0].tensor.mutable_grad() = at::zeros({2, 3});
        each->optimizer->step(/*learning_rate=*/0.1);
    }

    CHECK(adam.parameters[1].tensor[0].item<float>() == -3.0F);
    CHECK(adamw.parameters[1].tensor[0].item<float>() == doctest::Approx(-3 * (1 - 0.1 * 0.01)));
}
