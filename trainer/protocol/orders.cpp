#include "trainer/protocol/orders.hpp"

#include <stdexcept>

#include "core/check.hpp"
#include "core/trial_protocol.hpp"

namespace crescendo::trainer {

using nlohmann::json;

namespace {

std::optional<std::int64_t> optional_number(const json& message, const char* key) {
    const auto found = message.find(key);
    if (found == message.end() || found->is_null()) {
        return std::nullopt;
    }
    return found->get<std::int64_t>();
}

StateSource parse_source(const std::string& word) {
    if (word == "new") {
        return StateSource::fresh;
    }
    if (word == "checkpoint") {
        return StateSource::checkpoint;
    }
    if (word == "memory") {
        return StateSource::memory;
    }
    throw std::runtime_error(text("state is \"{}\"; it is new, checkpoint or memory", word));
}

Join parse_join(const json& message) {
    return {.trial = message.at("trial"),
            .generation = message.at("generation"),
            .rank = message.at("rank"),
            .size = message.at("size"),
            .batch_multiple = optional_number(message, "batch_multiple").value_or(1),
            .accumulation = optional_number(message, "accumulation").value_or(1),
            .checkpoint_at = optional_number(message, "checkpoint_at"),
            .reported = optional_number(message, "reported"),
            .max_resource = message.at("max_resource"),
            .seed = message.at("seed"),
            .settings = message.at("settings"),
            .directory = message.at("directory").get<std::string>(),
            .state = parse_source(message.at("state")),
            .read_at = std::chrono::steady_clock::now()};
}

}  // namespace

Order parse_order(const json& message) try {
    const std::string type = message.at("type");
    if (type == protocol::type::join) {
        return parse_join(message);
    }
    if (type == protocol::type::decision) {
        return Decision{.trial = message.at("trial"),
                        .batch_multiple = optional_number(message, "batch_multiple"),
                        .checkpoint_at = optional_number(message, "checkpoint_at")};
    }
    if (type == protocol::type::leave) {
        return Leave{.trial = message.at("trial"), .save = message.value("save", false)};
    }
    if (type == protocol::type::evaluate) {
        return Evaluate{.trial = message.at("trial"),
                        .settings = message.at("settings"),
                        .resource = message.at("resource"),
                        .checkpoint = message.at("checkpoint").get<std::string>(),
                        .data = message.at("data")};
    }
    throw std::runtime_error(text("no order has the type \"{}\"", type));
} catch (const json::exception& error) {
    throw std::runtime_error(text("cannot take the order {}: {}", message.dump(), error.what()));
}

}  // namespace crescendo::trainer
