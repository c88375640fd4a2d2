#include "launch/messages/supervision.hpp"

namespace crescendo::launch {

void to_json(Json& json, const Supervision& supervision) {
    json = {{"metric", supervision.metric}};
    if (supervision.report) {
        json["report"] = *supervision.report;
    }
    if (supervision.hang_timeout) {
        json["hang_timeout"] = *supervision.hang_timeout;
    }
}

void from_json(const Json& json, Supervision& supervision) {
    supervision = {};
    supervision.metric = json.value("metric", "");
    if (json.contains("report")) {
        supervision.report = json.at("report").get<ReportSource>();
    }
    if (json.contains("hang_timeout")) {
        supervision.hang_timeout = json.at("hang_timeout").get<std::chrono::milliseconds>();
    }
}

}  // namespace crescendo::launch
