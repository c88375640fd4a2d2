#include "core/setting_path.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using crescendo::set_at;
using Json = nlohmann::json;

TEST_CASE("a dotted name leads into maps, which are created if they are missing") {
    Json settings{{"data", {{"train", "a.h5"}}}, {"model", "mlp"}};

    set_at<Json>(settings, "data.train", "b.h5");
    set_at<Json>(settings, "constants.block.slope", 0.5);

    CHECK(settings ==
          Json{{"data", {{"train", "b.h5"}}}, {"model", "mlp"}, {"constants", {{"block", {{"slope", 0.5}}}}}});
}

TEST_CASE("the factors of a module and of a parameter in it do not replace each other, in either order") {
    const Json both{{"lr_factors", {{"head", 0.5}, {"head.fc.bias", 3}}}};
    Json outer_first;
    set_at<Json>(outer_first, "lr_factors.head", 0.5);
    set_at<Json>(outer_first, "lr_factors.head.fc.bias", 3);
    CHECK(outer_first == both);

    Json inner_first;
    set_at<Json>(inner_first, "lr_factors.head.fc.bias", 3);
    set_at<Json>(inner_first, "lr_factors.head", 0.5);
    CHECK(inner_first == Json{{"lr_factors", {{"head", 0.5}, {"head.fc", {{"bias", 3}}}}}});
}

TEST_CASE("a parameter sets the entry that the sweep file has under the dotted name") {
    Json settings{{"lr_factors", {{"head.bias", 1}}}};

    set_at<Json>(settings, "lr_factors.head.bias", 3);

    CHECK(settings == Json{{"lr_factors", {{"head.bias", 3}}}});
}
