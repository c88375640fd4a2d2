#include "trainer/optimizers/optimizers.hpp"

#include "tests/trainer/optimizers/trained.hpp"
#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

TEST_CASE("each optimizer is chosen by its name, and continues from its state as if nothing had been") {
    for (const auto& optimizer : optimizers()) {
        CAPTURE(optimizer.name);
        Trained undisturbed(optimizer.name);
        Trained resumed(optimizer.name);
        undisturbed.step(3);

        resumed.optimizer->reset(undisturbed.optimizer->num_steps());
        const auto saved = undisturbed.optimizer->state();
        const auto state = resumed.optimizer->state();
        REQUIRE(saved.size() == state.size());
        CHECK(!saved.empty());
        for (std::size_t i = 0; i < saved.size(); ++i) {
            CHECK(saved[i].parameter == state[i].parameter);
            CHECK(saved[i].name == state[i].name);
            at::Tensor(state[i].tensor).copy_(saved[i].tensor);
        }
        for (std::size_t i = 0; i < resumed.parameters.size(); ++i) {
            resumed.parameters[i].tensor.copy_(undisturbed.parameters[i].tensor);
        }
        undisturbed.step(2);
        resumed.step(2);

        CHECK(at::equal(resumed.parameters[0].tensor, undisturbed.parameters[0].tensor));
        CHECK(at::equal(resumed.parameters[1].tensor, undisturbed.parameters[1].tensor));
        resumed.optimizer->reset();
        resumed.step(1);
        undisturbed.step(1);
        CHECK_FALSE(at::equal(resumed.parameters[0].tensor, undisturbed.parameters[0].tensor));  // it had forgotten
    }
}

TEST_CASE("weight decay may spare what has one dimension: biases, and the scales and shifts of norms") {
    for (const char* name : {"sgd", "adam", "adamw"}) {
        CAPTURE(name);
        Trained none(name, {{"weight_decay", 0.0}});
        Trained all(name, {{"weight_decay", 0.5}});
        Trained weights(name, {{"weight_decay", 0.5}, {"weight_decay_of", "weights"}});
        for (Trained* each : {&none, &all, &weights}) {
            each->step(100, /*push=*/0.25);
        }

        CHECK(at::equal(weights.parameters[0].tensor, all.parameters[0].tensor));
        CHECK_FALSE(at::equal(weights.parameters[0].tensor, none.parameters[0].tensor));
        CHECK(at::equal(weights.parameters[1].tensor, none.parameters[1].tensor));
        CHECK_FALSE(at::equal(weights.parameters[1].tensor, all.parameters[1].tensor));
        CHECK(weights.state_names() == all.state_names());
    }
}
