#include "trainer/protocol/orders.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/check.hpp"
#include "core/message_json.hpp"

namespace crescendo::trainer {

using nlohmann::json;

Order parse_order(const json& message) try {
    const std::string type = message.at("type");
    if (type == Join::name) {
        return protocol::read<Join>(message);
    }
    if (type == Decision::name) {
        return protocol::read<Decision>(message);
    }
    if (type == Leave::name) {
        return protocol::read<Leave>(message);
    }
    if (type == Evaluate::name) {
        return protocol::read<Evaluate>(message);
    }
    if (type == MeasureLatency::name) {
        return protocol::read<MeasureLatency>(message);
    }
    if (type == Profile::name) {
        return protocol::read<Profile>(message);
    }
    throw std::runtime_error(text("unknown order type \"{}\"", type));
} catch (const json::exception& error) {
    throw std::runtime_error(text("cannot read the order {}: {}", message.dump(), error.what()));
}

}  // namespace crescendo::trainer
