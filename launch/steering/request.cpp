#include "launch/steering/request.hpp"

#include <algorithm>
#include <array>

#include "core/check.hpp"

namespace crescendo::launch {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StopRequest, trial)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PauseRequest, trial)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ResumeRequest, trial)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RetryRequest, trial)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NoteRequest, trial, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TagRequest, trial, add, remove)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EnqueueRequest, values)

static void to_json(Json& json, const SetRequest& request) {
    auto& settings = json["settings"] = Json::array();  // pairs of key and value
    for (const auto& each : request.settings) {
        settings.push_back({each.key, each.value});
    }
}

static void from_json(const Json& json, SetRequest& request) {
    for (const auto& setting : json.at("settings")) {
        request.settings.push_back({setting.at(0), setting.at(1).get<std::optional<std::string>>()});
    }
}

namespace {

/// A value of "ask", and the function that reads the other members.
struct RequestKind {
    std::string_view ask;
    Request (*read)(const Json& json);
};

template <class Kind>
Request read_as(const Json& json) {
    return json.get<Kind>();
}

constexpr std::array request_kinds{
    // in the order of the variant
    RequestKind{"stop", read_as<StopRequest>},     RequestKind{"pause", read_as<PauseRequest>},
    RequestKind{"resume", read_as<ResumeRequest>}, RequestKind{"retry", read_as<RetryRequest>},
    RequestKind{"set", read_as<SetRequest>},       RequestKind{"note", read_as<NoteRequest>},
    RequestKind{"tag", read_as<TagRequest>},       RequestKind{"enqueue", read_as<EnqueueRequest>}};
static_assert(request_kinds.size() == std::variant_size_v<Request>);

}  // namespace

Json to_json(const Request& request) {
    auto json = std::visit([](const auto& each) { return Json(each); }, request);
    json["ask"] = request_kinds.at(request.index()).ask;
    return json;
}

Request request_from_json(const Json& json) {
    try {
        const std::string ask = json.at("ask");
        const auto kind = std::ranges::find(request_kinds, ask, &RequestKind::ask);
        if (kind == request_kinds.end()) {
            throw InvalidInput("unknown request '" + ask + "'; use the crescendo that runs the sweep");
        }
        return kind->read(json);
    } catch (const Json::exception& error) {
        throw InvalidInput(std::string("it is not a request: ") + error.what());
    }
}

}  // namespace crescendo::launch
