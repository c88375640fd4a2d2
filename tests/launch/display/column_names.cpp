#include "launch/display/column_names.hpp"

#include <doctest/doctest.h>

using crescendo::launch::ColumnNames;

TEST_CASE("a column keeps its name unless another column has it") {
    ColumnNames names({"trial"});

    CHECK(names.take("parameters", "lr") == "lr");
    CHECK(names.take("metrics", "lr") == "metrics.lr");
    CHECK(names.take("parameters", "trial") == "parameters.trial");
    CHECK(names.take("metrics", "metrics.lr") == "metrics.metrics.lr");
}
