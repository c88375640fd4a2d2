#include "scheduler/expressions/leaves.hpp"

#include "tests/scheduler/expressions/evaluate.hpp"

using namespace crescendo;
using namespace crescendo::tests;

TEST_CASE("a name stands for the value at its place") {
    const Symbols x_alone{{"x", {0, Type::whole}}};
    const Expression twice("x + x", x_alone);

    CHECK(twice.evaluate(std::vector<Datum>{std::int64_t{3}}) == Datum{std::int64_t{6}});
    CHECK(twice.evaluate(std::vector<Datum>{std::int64_t{5}}) == Datum{std::int64_t{10}});
}

TEST_CASE("a comparison with a value that a parameter never has is a mistake") {
    const std::string message = "optimizer is never sdg, so this comparison decides nothing; its values are sgd, adam";

    CHECK(error_of("optimizer == 'sdg'") == "13: " + message);
    CHECK(error_of("'sdg' != optimizer") == "0: " + message);
    CHECK(error_of("optimizer in ['sgd', 'sdg']") == "21: " + message);
    CHECK(error_of("anything == 'sdg'").empty());  // its values are not known
}
