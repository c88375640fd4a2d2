#include "trainer/optimizers/optimizers.hpp"

#include "tests/trainer/optimizers/reference.hpp"

using namespace crescendo::trainer::test;
using Names = std::vector<std::string>;

TEST_CASE("nadamw matches torch's NAdam with decoupled weight decay, even across a regroup") {
    check_reference("nadamw", {}, 0.05,
                    {-0.436185006, -0.197821106, 0.140583438, 0.568842754, 1.10927342, 1.73948817, -0.59391522,
                     -0.540150553});
}

TEST_CASE("nadamw restarts its momentum schedule after a reset") {
    Trained before("nadamw");
    Trained anew("nadamw");

    before.step(5);
    before.optimizer->reset();
    for (std::size_t i = 0; i < before.parameters.size(); ++i) {
        before.parameters[i].tensor.copy_(anew.parameters[i].tensor);
    }
    before.step(3);
    anew.step(3);

    CHECK(before.state_names() == Names{"weight/exp_avg", "weight/exp_avg_sq", "bias/exp_avg", "bias/exp_avg_sq"});
    CHECK(at::equal(before.parameters[0].tensor, anew.parameters[0].tensor));
}
