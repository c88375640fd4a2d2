#include "trainer/optimizers/optimizers.hpp"

#include "tests/trainer/optimizers/reference.hpp"

using namespace crescendo::trainer::test;
using Names = std::vector<std::string>;

TEST_CASE("adafactor matches torch's, even across a regroup") {
    check_reference("adafactor", {}, 0.05,
                    {-0.443611564, -0.348938361, -0.255914349, -0.0591876167, 0.317051906, 0.843534596, -0.562638274,
                     -0.448453384});
}

TEST_CASE("adafactor keeps one number for each row and column of weights and for each element of a bias") {
    Trained adafactor("adafactor");

    adafactor.step(1);

    CHECK(adafactor.state_names() == Names{"weight/row_var", "weight/col_var", "bias/variance"});
    CHECK(adafactor.optimizer->state()[0].tensor.sizes() == at::IntArrayRef({2, 1}));
    CHECK(adafactor.optimizer->state()[1].tensor.sizes() == at::IntArrayRef({1, 3}));
}
