#include "trainer/models/named_tensor.hpp"

#include <ATen/ATen.h>

#include "tests/error_of.hpp"
#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;
using crescendo::tests::error_of;

TEST_CASE("a name denotes a tensor or a module with everything in it, but no part of a name") {
    const std::vector<NamedTensor> tensors{{"layer1.0.weight", {}}, {"layer1.1.weight", {}}, {"head.bias", {}}};

    for (const char* there : {"layer1", "layer1.1", "layer1.0.weight", "head"}) {
        CAPTURE(there);
        CHECK_NOTHROW(expect_one_in(there, tensors, "trainer.init_except"));
    }
    for (const char* absent : {"layer", "layer10", "layer1.0.w", "bias"}) {
        CAPTURE(absent);
        CHECK(
            error_of([&] { expect_one_in(absent, tensors, "trainer.init_except"); }).ends_with("it has layer1, head"));
    }
}
