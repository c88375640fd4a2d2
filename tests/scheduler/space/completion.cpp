#include "scheduler/space/completion.hpp"

#include <doctest/doctest.h>

using namespace crescendo;

namespace {

SearchSpace space() {
    return SearchSpace({{"width", IntUniform{1, 8}},
                        {"kind", Categorical{{std::string("a"), std::string("b")}}},
                        {"depth", IntUniform{1, 8}, "kind == 'a'"},
                        derived_parameter("area", "width * 10")},
                       {"depth <= width"});
}

const Value kind_a = std::string("a");
const Value kind_b = std::string("b");

Value whole(std::int64_t number) { return number; }

Value value_of(const Config& config, const std::string& name) {
    for (const auto& [each, value] : config) {
        if (each == name) {
            return value;
        }
    }
    FAIL("there is no ", name);
    return {};
}

}  // namespace

TEST_CASE("given values stay, preferred values fill the rest, and derived values follow") {
    const Config preferred{{"width", whole(7)}, {"kind", kind_a}, {"depth", whole(2)}, {"area", whole(70)}};

    const auto config = complete(space(), {{"width", whole(3)}}, preferred, CounterRandom(1, 2));

    CHECK(config == Config{{"width", whole(3)}, {"kind", kind_a}, {"depth", whole(2)}, {"area", whole(30)}});
}

TEST_CASE("if the preferred values break a rule, the rest is drawn until all rules hold") {
    const Config preferred{{"width", whole(2)}, {"kind", kind_b}, {"area", whole(20)}};

    for (std::uint64_t stream = 0; stream < 20; ++stream) {
        const auto config = complete(space(), {{"depth", whole(5)}}, preferred, CounterRandom(1, stream));

        REQUIRE(config);
        CHECK(value_of(*config, "depth") == whole(5));
        CHECK(value_of(*config, "kind") == kind_a);
        CHECK(value_of(*config, "width") >= whole(5));
    }
}

TEST_CASE("values that never go together have no completion") {
    CHECK_FALSE(complete(space(), {{"kind", kind_b}, {"depth", whole(1)}}, {}, CounterRandom(1, 2)));
    CHECK_FALSE(complete(space(), {{"width", whole(1)}, {"depth", whole(2)}}, {}, CounterRandom(1, 2)));
}

TEST_CASE(
    "the message names what prevents a completion: a condition, a constraint, or the rule that most draws break") {
    const auto rule_of = [](const SearchSpace& space, const Config& given) {
        const auto why = why_incomplete(space, given, CounterRandom(1, 2));
        const std::string before = "no trial can start with these values: ";
        REQUIRE(why.starts_with(before));
        return why.substr(before.size(), why.find(" (tried with") - before.size());
    };
    CHECK(rule_of(space(), {{"kind", kind_b}, {"depth", whole(1)}}) == "depth needs kind == 'a'");
    CHECK(rule_of(space(), {{"kind", kind_a}, {"width", whole(1)}, {"depth", whole(2)}}) ==
          "they break the constraint depth <= width");
    const SearchSpace rarely({{"x", IntUniform{1, 9}}, {"y", IntUniform{1, 9}}}, {"x + y > 100", "x > 1"});
    CHECK(rule_of(rarely, {}) == "they break the constraint x + y > 100");
    const SearchSpace both({{"x", IntUniform{1, 9}}, {"y", IntUniform{1, 9}}}, {"x > 8", "y > 100"});
    CHECK(rule_of(both, {}) == "in most draws of the others, they break the constraint x > 8");
}
