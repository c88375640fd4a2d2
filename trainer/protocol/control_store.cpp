#include "trainer/protocol/control_store.hpp"

#include <c10/util/Exception.h>

#include "trainer/protocol/base64.hpp"

namespace crescendo::trainer {

using nlohmann::json;

ControlStore::ControlStore(ControlChannel& channel, std::int64_t trial, std::int64_t generation,
                           std::chrono::milliseconds timeout)
    : Store(timeout), channel_(channel), trial_(trial), generation_(generation) {}

c10::intrusive_ptr<c10d::Store> ControlStore::clone() {
    return c10::make_intrusive<ControlStore>(channel_, trial_, generation_, timeout_);
}

json ControlStore::operation(const char* name) const {
    return {{"op", name}, {"trial", trial_}, {"generation", generation_}};
}

json ControlStore::perform(const json& request) { return perform_all({request}).front(); }

std::vector<json> ControlStore::perform_all(std::vector<json> requests) {
    auto answers = channel_.request_all(std::move(requests), timeout_);
    for (const auto& answer : answers) {
        TORCH_CHECK_WITH(DistStoreError, !answer.contains("error"), answer.at("error").dump());
    }
    return answers;
}

void ControlStore::set(const std::string& key, const std::vector<std::uint8_t>& value) {
    json request = operation("set");
    request["key"] = key;
    request["value"] = encode_base64(value);
    channel_.request_unanswered(std::move(request));
}

std::vector<std::uint8_t> ControlStore::compareSet(const std::string& key, const std::vector<std::uint8_t>& expected,
                                                   const std::vector<std::uint8_t>& desired) {
    json request = operation("compare_set");
    request["key"] = key;
    request["expected"] = encode_base64(expected);
    request["value"] = encode_base64(desired);
    return decode_base64(perform(request).at("value").get<std::string>());
}

std::vector<std::uint8_t> ControlStore::get(const std::string& key) { return multiGet({key}).front(); }

std::vector<std::vector<std::uint8_t>> ControlStore::multiGet(const std::vector<std::string>& keys) {
    std::vector<json> requests;
    for (const auto& key : keys) {
        requests.push_back(operation("get"));
        requests.back()["key"] = key;
    }
    std::vector<std::vector<std::uint8_t>> values;
    for (const auto& answer : perform_all(std::move(requests))) {
        values.push_back(decode_base64(answer.at("value").get<std::string>()));
    }
    return values;
}

std::int64_t ControlStore::add(const std::string& key, std::int64_t delta) {
    json request = operation("add");
    request["key"] = key;
    request["delta"] = delta;
    return perform(request).at("number");
}

bool ControlStore::deleteKey(const std::string& key) {
    json request = operation("delete");
    request["key"] = key;
    return perform(request).at("found");
}

bool ControlStore::check(const std::vector<std::string>& keys) {
    json request = operation("check");
    request["keys"] = keys;
    return perform(request).at("found");
}

void ControlStore::wait(const std::vector<std::string>& keys) {
    json request = operation("wait");
    request["keys"] = keys;
    perform(request);
}

/// Ignores the time-out, which is Gloo's for a connection, because members may take long to arrive.
void ControlStore::wait(const std::vector<std::string>& keys, const std::chrono::milliseconds&) { wait(keys); }

std::int64_t ControlStore::getNumKeys() {
    C10_THROW_ERROR(NotImplementedError, "the control channel's store does not count keys");
}

}  // namespace crescendo::trainer
