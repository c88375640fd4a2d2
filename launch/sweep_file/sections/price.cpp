#include "launch/sweep_file/sections/price.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/check.hpp"
#include "core/number_from.hpp"

namespace crescendo::launch {
namespace {

bool is_sound(double price) { return std::isfinite(price) && price >= 0; }

}  // namespace

std::optional<Price> read_price(const YamlSection& file) {
    const auto section = file.section("price", "{slot_hour: 0.90}");
    if (!section) {
        return {};
    }
    section->allow({"slot_hour", "node_hour"});
    const auto slot = section->number("slot_hour");
    const auto node = section->number("node_hour");
    if (slot && node) {
        section->fail("node_hour", "slot_hour already sets the price of an hour; remove one of the two");
    }
    if (!slot && !node) {
        section->fail("", "has no price; write price: {slot_hour: 0.90}, or price: {node_hour: 24.48}");
    }
    const Price price{slot ? *slot : *node, slot ? Price::Unit::slot : Price::Unit::node};
    if (!is_sound(price.per_hour)) {
        section->fail(slot ? "slot_hour" : "node_hour",
                      fmt::format("is {}, which is not a price; use 0 or more", price.per_hour));
    }
    return price;
}

Price parse_price(const std::string& text) {
    const auto equals = text.find('=');
    const auto name = text.substr(0, equals);
    const auto number = number_from<double>(equals == std::string::npos ? "" : text.substr(equals + 1));
    CRESCENDO_VALIDATE((name == "slot_hour" || name == "node_hour") && number && is_sound(*number), "",
                       "--price {}: is not a price; write slot_hour=0.90 or node_hour=24.48", text);
    return {*number, name == "node_hour" ? Price::Unit::node : Price::Unit::slot};
}

}  // namespace crescendo::launch
