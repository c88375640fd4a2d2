#include "trainer/optimizers/schedule_free.hpp"

#include "tests/trainer/optimizers/reference.hpp"

using namespace crescendo::trainer::test;
using Names = std::vector<std::string>;

TEST_CASE("schedule_free learns and averages by the formula in its paper, even across a regroup") {
    check_reference("schedule_free", {{"schedule_free_beta", 0.8}}, 0.05,
                    {-0.398545065, 0.053031714, 0.60598761, 1.22184409, 1.92609666, 2.70277398, -0.774900431,
                     -0.722614829},
                    {-0.296461088, 0.241713378, 0.859899363, 1.52900503, 2.27619727, 3.08801595, -0.973682144,
                     -0.923305008});
}

TEST_CASE("schedule_free has an average after its first step, and a rate of zero changes nothing") {
    Trained trained("schedule_free");
    CHECK(trained.optimizer->evaluation_weights().empty());

    update_as_reference(trained, 0, 1, /*rate=*/0.0);  // the first step of a warm-up

    REQUIRE(trained.optimizer->evaluation_weights().size() == 2);
    CHECK(at::equal(trained.parameters[0].tensor, Trained("schedule_free").parameters[0].tensor));
    CHECK(at::allclose(trained.optimizer->evaluation_weights()[0], trained.parameters[0].tensor));
    CHECK(trained.state_names() == Names{"weight/z", "weight/exp_avg_sq", "weight/lr_max", "weight/weight_sum",
                                         "bias/z", "bias/exp_avg_sq", "bias/lr_max", "bias/weight_sum"});
}
