#include "launch/messages/metrics_json.hpp"

#include <cmath>
#include <limits>

namespace crescendo::launch {

Json to_json(const std::map<std::string, double>& metrics) {
    Json result = Json::object();
    for (const auto& [name, value] : metrics) {
        result[name] = std::isfinite(value) ? Json(value) : Json(nullptr);
    }
    return result;
}

std::map<std::string, double> metrics_from(const Json& metrics) {
    std::map<std::string, double> result;
    for (const auto& [name, value] : metrics.items()) {
        result[name] = value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
    }
    return result;
}

}  // namespace crescendo::launch
