#include "trainer/optimizers/optimizers.hpp"

#include "tests/trainer/optimizers/reference.hpp"

using namespace crescendo::trainer::test;

TEST_CASE("lamb follows the formula in its paper, even across a regroup") {
    check_reference("lamb", {}, 0.02,
                    {-0.47236455, -0.256992498, 0.122402312, 0.616356089, 1.21652533, 1.8855498, -1.43391032,
                     -1.42255682});
}
