#include "launch/sweep_file/sections/price.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "launch/sweep_file/sweep_file.hpp"
#include "tests/error_of.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::error_of;

namespace {

std::optional<Price> price_in(const std::string& section) {
    return parse_sweep(
               "metric: {name: loss}\nrun_cap: 1\nparameters: {x: {min: 0.0, max: 1.0}}\n"
               "scheduler: {type: asha, max: 9}\n" +
                   section,
               "sweep.yaml")
        .price;
}

}  // namespace

TEST_CASE("a price is per hour of a slot or of a node") {
    CHECK_FALSE(price_in("").has_value());
    CHECK(price_in("price: {slot_hour: 0.9}\n")->per_hour == 0.9);
    CHECK(price_in("price: {slot_hour: 0}\n")->unit == Price::Unit::slot);
    CHECK(price_in("price: {node_hour: 24.48}\n")->per_hour == 24.48);
    CHECK(price_in("price: {node_hour: 24.48}\n")->unit == Price::Unit::node);
}

TEST_CASE("an invalid price is refused with its position") {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"price:\n  slot_hour: -1\n", "6:3: price.slot_hour: is -1, which is not a price; use 0 or more"},
        {"price: {node_hour: .inf}\n", "5:9: price.node_hour: is inf, which is not a price; use 0 or more"},
        {"price: {slot_hour: 1, node_hour: 2}\n",
         "5:23: price.node_hour: slot_hour already sets the price of an hour; remove one of the two"},
        {"price: {}\n", "5:1: price: has no price; write price: {slot_hour: 0.90}, or price: {node_hour: 24.48}"},
        {"price: {<<: {node_hour: 1}, slot_hour: 1}\n",
         "5:9: price.<<: is YAML's merge key, which is not supported; write out its keys"},
        {"price: {currency: EUR, slot_hour: 1}\n",
         "5:9: price.currency: unknown key; price has slot_hour and node_hour"},
    };

    for (const auto& [section, error] : cases) {
        CAPTURE(section);
        CHECK(error_of([&text = section] { price_in(text); }) == "sweep.yaml:" + error);
    }
}

TEST_CASE("a command can take a price") {
    CHECK(parse_price("slot_hour=0.90").per_hour == 0.9);
    CHECK(parse_price("slot_hour=0.90").unit == Price::Unit::slot);
    CHECK(parse_price("node_hour=24").unit == Price::Unit::node);
    for (const auto* text : {"", "0.9", "slot_hour", "slot_hour=", "slot_hour=x", "slot_hour=1x", "slot_hour=-1",
                             "slot_hour=nan", "gpu_hour=1", "=1"}) {
        CAPTURE(text);
        CHECK(error_of([&] { parse_price(text); }) ==
              std::string("--price ") + text + ": is not a price; write slot_hour=0.90 or node_hour=24.48");
    }
}
