#include "trainer/optimizers/optimizers.hpp"

#include "tests/error_of.hpp"
#include "tests/trainer/optimizers/reference.hpp"

using namespace crescendo::trainer::test;

TEST_CASE("lars follows the formula in its paper, even across a regroup") {
    check_reference("lars", {{"momentum", 0.8}, {"lars_trust", 0.02}}, 0.1,
                    {0.277011069, 0.81013039, 1.36525958, 1.91469014, 2.43595285, 2.93247588, -0.92222531,
                     -0.0550576307});
}

TEST_CASE("a trust of zero is refused because its steps would be those of sgd") {
    const std::string error = crescendo::tests::error_of([] { Trained("lars", {{"lars_trust", 0}}); });

    CHECK(error.find("trainer.lars_trust: 0 is out of range") != std::string::npos);
}
