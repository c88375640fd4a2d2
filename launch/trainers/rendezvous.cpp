#include "launch/trainers/rendezvous.hpp"

#include <algorithm>

#include "core/trial_protocol.hpp"

namespace crescendo::launch {
namespace {

using Entries = std::map<std::string, Json>;

AnswerStore answer(const StoreRequest& request, Json content = Json::object()) {
    content["type"] = protocol::type::store;
    content["id"] = request.request.at("id");
    return {request.slot, std::move(content)};
}

std::vector<std::string> keys_of(const Json& request) {
    if (request.contains("keys") && request.at("op") != "get") {
        return request.at("keys");
    }
    return {request.at("key")};
}

bool all_exist(const Entries& entries, const Json& request) {
    const auto keys = keys_of(request);
    return std::all_of(keys.begin(), keys.end(), [&](const auto& key) { return entries.contains(key); });
}

/// Sets the key if it holds `expected`, or if it does not exist and nothing is expected. Returns the key's value after
/// that.
Json compare_set(Entries& entries, const Json& request) {
    const std::string key = request.at("key");
    const std::string expected = request.value("expected", "");
    const auto found = entries.find(key);
    if (found == entries.end() ? expected.empty() : found->second.value("value", "") == expected) {
        entries[key] = {{"value", request.at("value")}};
    }
    return entries.contains(key) ? entries[key] : Json{{"value", expected}};
}

Json error(const std::string& problem) { return {{"error", problem}}; }

Json add(Entries& entries, const Json& request) {
    const std::string key = request.at("key");
    const auto found = entries.find(key);
    const std::int64_t before = found == entries.end() ? 0 : found->second.value("number", std::int64_t{0});
    std::int64_t sum = 0;
    if (__builtin_add_overflow(before, request.at("delta").get<std::int64_t>(), &sum)) {
        return error("the sum is too large");
    }
    return entries[key] = {{"number", sum}};
}

}  // namespace

std::vector<AnswerStore> Rendezvous::handle(const StoreRequest& request) {
    const Json& content = request.request;
    auto& space = spaces_[{TrialId{content.at("trial")}, content.at("generation")}];
    const std::string op = content.at("op");
    if (op == "get" || op == "wait") {
        space.waiting.push_back(request);
        return answer_waiting(space);
    }
    Json result = Json::object();
    if (op == "set") {
        space.entries[content.at("key")] = {{"value", content.at("value")}};
    } else if (op == "add") {
        result = add(space.entries, content);
    } else if (op == "check") {
        result["found"] = all_exist(space.entries, content);
    } else if (op == "delete") {
        result["found"] = space.entries.erase(content.at("key")) > 0;
    } else if (op == "compare_set") {
        result = compare_set(space.entries, content);
    } else {
        result = error("unknown operation '" + op + "'");
    }
    std::vector<AnswerStore> answers{answer(request, std::move(result))};
    auto more = answer_waiting(space);
    answers.insert(answers.end(), more.begin(), more.end());
    return answers;
}

std::vector<AnswerStore> Rendezvous::answer_waiting(Space& space) {
    std::vector<AnswerStore> answers;
    std::erase_if(space.waiting, [&](const StoreRequest& request) {
        if (!all_exist(space.entries, request.request)) {
            return false;
        }
        const bool get = request.request.at("op") == "get";
        answers.push_back(get ? answer(request, space.entries.at(request.request.at("key"))) : answer(request));
        return true;
    });
    return answers;
}

}  // namespace crescendo::launch
