#include "trainer/optimizers/optimizers.hpp"

#include "tests/error_of.hpp"
#include "tests/trainer/optimizers/reference.hpp"

using namespace crescendo::trainer::test;
using Names = std::vector<std::string>;

TEST_CASE("lars follows the formula in its paper, even across a regroup") {
    check_reference("lars", {{"momentum", 0.8}, {"lars_trust", 0.02}}, 0.1,
                    {0.277011069, 0.81013039, 1.36525958, 1.91469014, 2.43595285, 2.93247588, -0.92222531,
                     -0.0550576307});
}

TEST_CASE("the first step of lars is proportional to the weights, and a bias takes the step of sgd") {
    Trained lars("lars", {{"lars_trust", 0.5}});
    const double length = lars.parameters[0].tensor.norm().item<double>();
    const at::Tensor before = lars.parameters[0].tensor.clone();

    lars.step(1, /*push=*/1.0);  // the rate is 0.1

    CHECK((lars.parameters[0].tensor - before).norm().item<double>() == doctest::Approx(0.1 * 0.5 * length));
    CHECK(lars.parameters[1].tensor[0].item<double>() == doctest::Approx(-3 - 0.1 * (-3 + 1)));
    CHECK(lars.state_names() == Names{"weight/momentum_buffer", "bias/momentum_buffer"});
}

TEST_CASE("a trust of zero is refused because its steps would be those of sgd") {
    const std::string error = crescendo::tests::error_of([] { Trained("lars", {{"lars_trust", 0}}); });

    CHECK(error.find("trainer.lars_trust: 0 is out of range") != std::string::npos);
}
