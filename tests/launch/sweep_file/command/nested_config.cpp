#include "launch/sweep_file/command/nested_config.hpp"

#include <doctest/doctest.h>

#include "launch/json/value_json.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

const Config dotted_config{
    {"batch", std::int64_t{32}}, {"optimizer.name", "sgd"}, {"optimizer.nadam.beta", 0.9}, {"a.b", true}};
const std::vector<std::string> groups{"optimizer", "optimizer.nadam"};

}  // namespace

TEST_CASE("nested parameters become maps, and other names with dots stay") {
    const auto program_gets = launch::to_json(nested(dotted_config, groups));

    CHECK(program_gets.dump() == R"({"batch":32,"optimizer":{"nadam":{"beta":0.9},"name":"sgd"},"a.b":true})");
    CHECK(nested(dotted_config, {}) == dotted_config);
}

TEST_CASE("has_values() recognizes the configuration that a program got, nested or flat") {
    CHECK(has_values(launch::to_json(nested(dotted_config, groups)), dotted_config));
    CHECK(has_values(launch::to_json(dotted_config), dotted_config));
    CHECK_FALSE(has_values(Json::object(), dotted_config));
    CHECK_FALSE(has_values(Json{{"batch", 33}}, {{"batch", std::int64_t{32}}}));
    CHECK_FALSE(has_values(Json{{"batch", 32}, {"more", 1}}, {{"batch", std::int64_t{32}}}));
}
