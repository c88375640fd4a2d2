#include "scheduler/expressions/node.hpp"

#include "scheduler/expressions/leaves.hpp"
#include "tests/scheduler/expressions/evaluate.hpp"

using namespace crescendo;

TEST_CASE("widening turns a whole number into a floating-point number and changes nothing else") {
    const NodePtr whole = std::make_shared<Literal>(std::int64_t{3}, 5);
    const NodePtr text = std::make_shared<Literal>(std::string("a"), 0);
    const NodePtr absent = std::make_shared<Reference>("x", Symbol{0, Type::whole}, 0);

    CHECK(widened(whole)->type() == Type::number);
    CHECK(widened(whole)->offset() == 5);
    CHECK(widened(whole)->evaluate({}) == Datum{3.0});
    CHECK(widened(text) == text);
    CHECK(is_absent(widened(absent)->evaluate(std::vector<Datum>(1))));
}
