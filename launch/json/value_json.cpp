#include "launch/json/value_json.hpp"

#include <utility>

#include "core/check.hpp"
#include "core/message_json.hpp"

namespace crescendo::launch {

namespace {

struct ToJson {
    Json operator()(const JsonValue& value) const { return Json::parse(value.text); }
    Json operator()(const auto& value) const { return value; }
};

}  // namespace

Json to_json(const Value& value) { return std::visit(ToJson{}, value); }

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
            return JsonValue(one_line(json));
    }
    throw InvalidInput(text(
        "{} is not a value for a parameter (it has more than 64 bits); use a smaller number, or text", json.dump()));
}

Json to_json(const protocol::Metrics& metrics) { return protocol::ValueWriter<Json>()(metrics); }

protocol::Metrics metrics_from(const Json& json) {
    protocol::Metrics metrics;
    protocol::ValueReader<Json>{json}(metrics);
    return metrics;
}

}  // namespace crescendo::launch
