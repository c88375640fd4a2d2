#include "scheduler/samplers/tried.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/scheduler/samplers/learning.hpp"

using namespace crescendo;

namespace {

Value whole(std::int64_t number) { return number; }

const Value yes = true;
const Value no = false;

}  // namespace

TEST_CASE("a configuration repeats another only if all values are the same") {
    Tried tried(SearchSpace({{"x", IntUniform{0, 9}}, {"y", QUniform{0, 1, 0.25}}, {"z", Constant{whole(1)}}}));

    tried.tell(started(0, {{"x", whole(3)}, {"y", 0.25}, {"z", whole(1)}}));

    CHECK(tried.repeats({{"x", whole(3)}, {"y", 0.25}, {"z", whole(1)}}));
    CHECK_FALSE(tried.repeats({{"x", whole(4)}, {"y", 0.25}, {"z", whole(1)}}));
    CHECK_FALSE(tried.repeats({{"x", whole(3)}, {"y", 0.5}, {"z", whole(1)}}));
}

TEST_CASE("a multiple of q is the same however it is computed") {
    Tried tried(SearchSpace({{"x", QUniform{0, 1, 0.1}}}));

    tried.tell(started(0, {{"x", 0.3}}));

    CHECK(tried.repeats({{"x", 0.1 + 0.2}}));
}

TEST_CASE("a configuration can be compared with only the first few tried ones") {
    Tried tried(SearchSpace({{"x", IntUniform{0, 9}}}));
    for (const int x : {3, 3, 5}) {
        tried.tell(started(0, {{"x", whole(x)}}));
    }

    CHECK(tried.size() == 2);
    CHECK(tried.repeats({{"x", whole(3)}}, /*size=*/1));
    CHECK_FALSE(tried.repeats({{"x", whole(5)}}, /*size=*/1));
    CHECK_FALSE(tried.repeats({{"x", whole(3)}}, /*size=*/0));
}

TEST_CASE("an absent parameter counts as a value of its own, but a derived one does not count") {
    const SearchSpace space({{"on", Categorical{{yes, no}}},
                             derived_parameter("off", "not on"),
                             {"x", IntUniform{0, 1}, "on"}});
    Tried tried(space);

    tried.tell(started(0, {{"on", no}, {"off", yes}}));

    CHECK(tried.repeats({{"on", no}, {"off", yes}}));
    CHECK_FALSE(tried.repeats({{"on", yes}, {"off", no}, {"x", whole(0)}}));
    CHECK_FALSE(tried.repeats({{"on", yes}, {"off", no}, {"x", whole(1)}}));
}

TEST_CASE("a configuration with a number of infinitely many is no repetition, but one without it is") {
    Tried tried(SearchSpace({{"x", IntUniform{0, 2}}, {"y", Uniform{0, 1}, "x > 0"}, {"z", IntUniform{0, 1}}}));
    CHECK_FALSE(tried.is_finite());

    tried.tell(started(0, {{"x", whole(0)}, {"z", whole(1)}}));
    tried.tell(started(1, {{"x", whole(1)}, {"y", 0.5}, {"z", whole(1)}}));

    CHECK(tried.size() == 1);
    CHECK(tried.repeats({{"x", whole(0)}, {"z", whole(1)}}));
    CHECK_FALSE(tried.repeats({{"x", whole(0)}, {"z", whole(0)}}));
    CHECK_FALSE(tried.repeats({{"x", whole(1)}, {"y", 0.5}, {"z", whole(1)}}));
}

TEST_CASE("a multiple of q in an infinite range can be repeated") {
    Tried tried(SearchSpace({{"x", QNormal{0, 1, 0.5}}, {"y", QLogNormal{0, 1, 1}}}));
    CHECK_FALSE(tried.is_finite());

    tried.tell(started(0, {{"x", -1.5}, {"y", 2.0}}));

    CHECK(tried.repeats({{"x", -1.5}, {"y", 2.0}}));
    CHECK_FALSE(tried.repeats({{"x", -1.5}, {"y", 3.0}}));
    CHECK_FALSE(tried.repeats({{"x", 1.5}, {"y", 2.0}}));
}

TEST_CASE("no configuration is a repetition if all have been tried") {
    Tried two(SearchSpace({{"x", IntUniform{0, 1}}}));
    CHECK(two.is_finite());
    two.tell(started(0, {{"x", whole(0)}}));
    CHECK(two.repeats({{"x", whole(0)}}));
    two.tell(started(0, {{"x", whole(1)}}));
    CHECK_FALSE(two.repeats({{"x", whole(0)}}));
}

TEST_CASE("a space is finite also if its configurations are too many for a number") {
    std::vector<Parameter> parameters;
    for (int i = 0; i < 100; ++i) {
        parameters.push_back({"x" + std::to_string(100 + i), IntUniform{0, 999'999}});
    }
    CHECK(Tried(SearchSpace(parameters)).is_finite());
}

TEST_CASE("a configuration with an impossible value repeats nothing") {
    Tried tried(SearchSpace({{"x", IntUniform{0, 1}}}));
    tried.tell(started(0, {{"x", whole(7)}}));

    CHECK_FALSE(tried.repeats({{"x", whole(7)}}));
}
