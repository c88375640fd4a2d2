#include "launch/messages/value_json.hpp"

#include <utility>

#include "core/check.hpp"

namespace crescendo::launch {

Json to_json(const Value& value) {
    return std::visit([](const auto& held) { return Json(held); }, value);
}

OrderedJson to_json(const Config& config) {
    OrderedJson object = OrderedJson::object();
    for (const auto& [name, value] : config) {
        object[name] = to_json(value);
    }
    return object;
}

Value value_from_json(const Json& json) {
    switch (json.type()) {
        case Json::value_t::boolean:
            return json.get<bool>();
        case Json::value_t::number_unsigned:
            if (std::in_range<std::int64_t>(json.get<std::uint64_t>())) {
                return json.get<std::int64_t>();
            }
            break;
        case Json::value_t::number_integer:
            return json.get<std::int64_t>();
        case Json::value_t::number_float:
            return json.get<double>();
        case Json::value_t::string:
            return json.get<std::string>();
        default:
            break;
    }
    throw InvalidInput(
        text("{} is no value of a parameter; use a boolean, a number of 64 bits or a string", json.dump()));
}

}  // namespace crescendo::launch
