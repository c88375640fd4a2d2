#include "launch/sweep_file/keys/flat_keys.hpp"

#include <cmath>

namespace crescendo::launch {
namespace {

std::string text_of_value(const OrderedJson& value) {
    if (!value.is_number_float() || std::isfinite(value.get<double>())) {
        return one_line(value);
    }
    const auto number = value.get<double>();
    return std::isnan(number) ? ".nan" : number > 0 ? ".inf" : "-.inf";
}

void add(const OrderedJson& map, const std::string& prefix, FlatKeys& keys) {
    for (const auto& [name, value] : map.items()) {
        if (value.is_object()) {
            add(value, prefix + name + ".", keys);
        } else {
            keys.emplace(prefix + name, text_of_value(value));
        }
    }
}

}  // namespace

FlatKeys flat_keys(const OrderedJson& document) {
    FlatKeys keys;
    add(document, "", keys);
    return keys;
}

}  // namespace crescendo::launch
