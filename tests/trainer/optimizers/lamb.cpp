#include "trainer/optimizers/optimizers.hpp"

#include "tests/trainer/optimizers/reference.hpp"

using namespace crescendo::trainer::test;
using Names = std::vector<std::string>;

TEST_CASE("lamb follows the formula in its paper, even across a regroup") {
    check_reference("lamb", {}, 0.02,
                    {-0.47236455, -0.256992498, 0.122402312, 0.616356089, 1.21652533, 1.8855498, -1.43391032,
                     -1.42255682});
}

TEST_CASE("a step of lamb has the length of the weights times the learning rate, and a bias takes Adam's step") {
    Trained lamb("lamb", {{"weight_decay", 0}});
    const double length = lamb.parameters[0].tensor.norm().item<double>();
    const at::Tensor before = lamb.parameters[0].tensor.clone();

    lamb.step(1);  // the rate is 0.1

    CHECK((lamb.parameters[0].tensor - before).norm().item<double>() == doctest::Approx(0.1 * length));
    CHECK(lamb.parameters[1].tensor[0].item<double>() == doctest::Approx(-3 + 0.1));
    CHECK(lamb.state_names() == Names{"weight/exp_avg", "weight/exp_avg_sq", "bias/exp_avg", "bias/exp_avg_sq"});
}

TEST_CASE("lamb takes Adam's step from zero weights") {
    Trained lamb("lamb");
    lamb.parameters[0].tensor.zero_();

    lamb.step(1);

    CHECK(lamb.parameters[0].tensor[0][0].item<double>() == doctest::Approx(-0.1));
}
