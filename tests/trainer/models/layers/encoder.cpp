#include "trainer/models/layers/encoder.hpp"

#include <ATen/ATen.h>

#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;

TEST_CASE("an encoder distinguishes the positions of its tokens and mixes them") {
    at::manual_seed(1);
    Encoder encoder({.width = 8, .depth = 2, .heads = 2}, /*num_tokens=*/3);
    const at::Tensor tokens = at::randn({1, 3, 8});
    at::Tensor other = tokens.clone();
    other[0][2].add_(at::randn({8}));

    const at::Tensor mixed = encoder.forward(tokens);

    CHECK(mixed.sizes() == tokens.sizes());
    CHECK_FALSE(at::allclose(encoder.forward(tokens.flip(1)).flip(1), mixed, /*rtol=*/1e-4, /*atol=*/1e-4));
    CHECK_FALSE(at::allclose(encoder.forward(other)[0][0], mixed[0][0], /*rtol=*/1e-4, /*atol=*/1e-4));
}

TEST_CASE("the heads must divide the width of an encoder") {
    CHECK(misfits_of_encoder({.width = 8, .heads = 4}).empty());
    REQUIRE(misfits_of_encoder({.width = 8, .heads = 3}).size() == 1);
    CHECK(misfits_of_encoder({.width = 8, .heads = 3})[0].key == "trainer.heads");
}
