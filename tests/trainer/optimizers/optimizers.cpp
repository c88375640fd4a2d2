#include "trainer/optimizers/optimizers.hpp"

#include "tests/trainer/optimizers/reference.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

TEST_CASE("each optimizer is chosen by its name and continues seamlessly from its state") {
    for (const auto& optimizer : optimizers()) {
        CAPTURE(optimizer.name);
        Trained undisturbed(optimizer.name);
        Trained resumed(optimizer.name);
        undisturbed.step(3);

        CHECK(!undisturbed.optimizer->state().empty());
        take_over(resumed, undisturbed);
        undisturbed.step(2);
        resumed.step(2);

        CHECK(at::equal(resumed.parameters[0].tensor, undisturbed.parameters[0].tensor));
        CHECK(at::equal(resumed.parameters[1].tensor, undisturbed.parameters[1].tensor));
        resumed.optimizer->reset();
        resumed.step(1);
        undisturbed.step(1);
        CHECK_FALSE(at::equal(resumed.parameters[0].tensor, undisturbed.parameters[0].tensor));  // it was reset
    }
}

TEST_CASE("weight decay can spare parameters with one dimension, such as biases and the scales of norms") {
    for (const auto& [name, read] : optimizers()) {
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
