#include "trainer/models/layers/series.hpp"

#include <ATen/ATen.h>

#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;

TEST_CASE("the first axis of a sample is time, and the others hold the numbers of a time step") {
    CHECK(series_shape({20}).numbers == 1);
    CHECK(series_shape({20, 3, 2}).length == 20);
    CHECK(series_shape({20, 3, 2}).numbers == 6);
    CHECK(as_series(at::zeros({7, 20})).sizes() == at::IntArrayRef({7, 20, 1}));
    CHECK(as_series(at::zeros({7, 20, 3, 2})).sizes() == at::IntArrayRef({7, 20, 6}));
}
