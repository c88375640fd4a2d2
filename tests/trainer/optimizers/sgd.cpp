#include "trainer/optimizers/optimizers.hpp"

#include "tests/trainer/optimizers/trained.hpp"
#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer::test;
using Names = std::vector<std::string>;

TEST_CASE("sgd keeps the momentum of each parameter, and without momentum it keeps nothing") {
    Trained with("sgd");
    Trained without("sgd", {{"momentum", 0}, {"nesterov", true}});  // torch refuses this combination

    with.step(1);
    without.step(1);

    CHECK(with.state_names() == Names{"weight/momentum_buffer", "bias/momentum_buffer"});
    CHECK(without.state_names().empty());
    CHECK(without.parameters[1].tensor[0].item<float>() == doctest::Approx(-3 - 0.1 * (-3 + 0.5)));
    without.optimizer->reset(/*num_steps=*/4);
    CHECK(without.state_names().empty());
    CHECK(without.optimizer->num_steps() == 4);
}

TEST_CASE("Nesterov's momentum looks a step ahead, and weight decay is part of the gradient") {
    Trained plain("sgd", {{"momentum", 0.5}});
    Trained nesterov("sgd", {{"momentum", 0.5}, {"nesterov", true}});
    Trained decayed("sgd", {{"momentum", 0.5}, {"weight_decay", 2}});

    for (Trained* each : {&plain, &nesterov, &decayed}) {
        each->step(1, /*push=*/0.0);
    }

    // The gradient is -3. The momentum of torch's first step is -3; Nesterov's adds half of it, and decay adds 2 x -3.
    CHECK(plain.parameters[1].tensor[0].item<float>() == doctest::Approx(-3 + 0.1 * 3));
    CHECK(nesterov.parameters[1].tensor[0].item<float>() == doctest::Approx(-3 + 0.1 * 4.5));
    CHECK(decayed.parameters[1].tensor[0].item<float>() == doctest::Approx(-3 + 0.1 * 9));
}
