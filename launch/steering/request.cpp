#include "launch/steering/request.hpp"

#include "core/check.hpp"

namespace crescendo::launch {
namespace {

Json trial_json(std::optional<TrialId> trial) { return trial ? Json(trial->value) : Json(nullptr); }

struct Write {
    Json operator()(const StopRequest& request) const { return {{"ask", "stop"}, {"trial", request.trial.value}}; }
    Json operator()(const PauseRequest& request) const { return {{"ask", "pause"}, {"trial", request.trial.value}}; }
    Json operator()(const ResumeRequest& request) const { return {{"ask", "resume"}, {"trial", request.trial.value}}; }
    Json operator()(const RetryRequest& request) const {
        return {{"ask", "retry"}, {"trial", trial_json(request.trial)}};
    }
    Json operator()(const SetRequest& request) const {
        auto settings = Json::array();  // pairs of key and value
        for (const auto& each : request.settings) {
            settings.push_back({each.key, each.value ? Json(*each.value) : Json(nullptr)});
        }
        return {{"ask", "set"}, {"settings", settings}};
    }
    Json operator()(const NoteRequest& request) const {
        return {{"ask", "note"}, {"trial", trial_json(request.trial)}, {"text", request.text}};
    }
    Json operator()(const EnqueueRequest& request) const { return {{"ask", "enqueue"}, {"values", request.values}}; }
    Json operator()(const TagRequest& request) const {
        return {{"ask", "tag"}, {"trial", trial_json(request.trial)}, {"add", request.add}, {"remove", request.remove}};
    }
};

std::optional<TrialId> trial_from(const Json& json) {
    const auto& trial = json.at("trial");
    return trial.is_null() ? std::nullopt : std::optional(TrialId{trial.get<std::int32_t>()});
}

Request read(const Json& json) {
    const std::string ask = json.at("ask");
    if (ask == "stop") {
        return StopRequest{TrialId{json.at("trial").get<std::int32_t>()}};
    }
    if (ask == "pause") {
        return PauseRequest{TrialId{json.at("trial").get<std::int32_t>()}};
    }
    if (ask == "resume") {
        return ResumeRequest{TrialId{json.at("trial").get<std::int32_t>()}};
    }
    if (ask == "retry") {
        return RetryRequest{trial_from(json)};
    }
    if (ask == "set") {
        SetRequest request;
        for (const auto& [key, value] : json.at("settings").get<std::vector<std::pair<std::string, Json>>>()) {
            request.settings.push_back(
                {key, value.is_null() ? std::nullopt : std::optional(value.get<std::string>())});
        }
        return request;
    }
    if (ask == "note") {
        return NoteRequest{trial_from(json), json.at("text")};
    }
    if (ask == "tag") {
        return TagRequest{trial_from(json), json.at("add"), json.at("remove")};
    }
    if (ask == "enqueue") {
        return EnqueueRequest{json.at("values")};
    }
    throw InvalidInput("nobody knows what '" + ask + "' asks for; use the crescendo that runs the sweep");
}

}  // namespace

Json to_json(const Request& request) { return std::visit(Write{}, request); }

Request request_from_json(const Json& json) {
    try {
        return read(json);
    } catch (const Json::exception& error) {
        throw InvalidInput(std::string("it is no request: ") + error.what());
    }
}

}  // namespace crescendo::launch
