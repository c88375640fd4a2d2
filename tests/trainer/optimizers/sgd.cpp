#include "trainer/optimizers/optimizers.hpp"

#include "tests/trainer/optimizers/trained.hpp"
#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer::test;
using Names = std::vector<std::string>;

TEST_CASE("sgd and lars keep the momentum of each parameter, and sgd without momentum keeps nothing") {
    Trained sgd("sgd");
    Trained lars("lars");
    Trained without("sgd", {{"momentum", 0}, {"nesterov", true}});  // torch refuses this combination

    sgd.step(1);
    lars.step(1);
    without.step(1);

    CHECK(sgd.state_names() == Names{"weight/momentum_buffer", "bias/momentum_buffer"});
    CHECK(lars.state_names() == sgd.state_names());
    CHECK(without.state_names().empty());
    CHECK(without.parameters[1].tensor[0].item<float>() == doctest::Approx(-3 - 0.1 * (-3 + 0.5)));
    without.optimizer->reset(/*num_steps=*/4);
    CHECK(without.state_names().empty());
    CHECK(without.optimizer->num_steps() == 4);
}
