#include "trainer/optimizers/optimizers.hpp"

#include "tests/trainer/optimizers/reference.hpp"

using namespace crescendo::trainer::test;
using Names = std::vector<std::string>;

TEST_CASE("rmsprop matches torch's, even across a regroup") {
    check_reference("rmsprop", {{"momentum", 0.8}, {"rms_decay", 0.9}, {"rms_centered", true}}, 0.002,
                    {-0.0105141432, 0.445049735, 0.944998533, 1.48800484, 2.07789671, 2.70474813, -1.38414182,
                     -1.36626357});
}

TEST_CASE("rmsprop keeps a momentum and a mean only if the settings ask for them") {
    Trained plain("rmsprop");
    Trained centered("rmsprop", {{"rms_centered", true}, {"momentum", 0.5}});

    plain.step(1);
    centered.step(1);

    CHECK(plain.state_names() == Names{"weight/square_avg", "bias/square_avg"});
    CHECK(centered.state_names() == Names{"weight/square_avg", "weight/momentum_buffer", "weight/grad_avg",
                                          "bias/square_avg", "bias/momentum_buffer", "bias/grad_avg"});
}
