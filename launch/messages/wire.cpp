#include "launch/messages/wire.hpp"

#include <optional>
#include <type_traits>
#include <utility>

#include "core/mapped.hpp"

// The functions named to_json and from_json are found by argument-dependent lookup, so they are in the namespaces of
// their types.
namespace crescendo {

template <class Value>
concept IsWhole = std::is_integral_v<Value> || std::is_enum_v<Value> || requires(Value id) {
    requires std::is_integral_v<decltype(id.value)>;
};

/// Reads a field. Throws Json::type_error if it is damaged: get_to() would make a whole number of any fraction.
template <class Value>
static void read_field(const nlohmann::json& json, Value& value) {
    if (IsWhole<Value> && json.is_number_float()) {
        throw nlohmann::json::type_error::create(302, "a fraction where a whole number belongs", &json);
    }
    json.get_to(value);
}
template <class Value>
static void read_field(const nlohmann::json& json, std::optional<Value>& value) {
    value.reset();
    if (!json.is_null()) {
        read_field(json, value.emplace());
    }
}

// A message is sent as an array of its fields in declaration order, because names would take most of the time for a
// report. Both ends are the same program.
namespace protocol {

static void to_json(nlohmann::json& json, const JsonText& value) { json = value.text; }

static void from_json(const nlohmann::json& json, JsonText& value) { json.get_to(value.text); }

template <HasFields Message>
void to_json(nlohmann::json& json, const Message& message) {
    json = nlohmann::json::array();
    for_each_field(Message::fields(), [&](const auto& field) { json.push_back(field.of(message)); });
}

template <HasFields Message>
void from_json(const nlohmann::json& json, Message& message) {
    std::size_t index = 0;
    for_each_field(Message::fields(), [&](const auto& field) { read_field(json.at(index++), field.of(message)); });
}

}  // namespace protocol

namespace launch {

// The same for our own messages, with their fields named here.
#define CRESCENDO_TO_JSON(field) json.push_back(message.field);
#define CRESCENDO_FROM_JSON(field) read_field(json.at(index++), message.field);
#define CRESCENDO_MESSAGE(Type, ...)                                                \
    static void to_json(Json& json, const Type& message) {                          \
        json = Json::array();                                                       \
        NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(CRESCENDO_TO_JSON, __VA_ARGS__))   \
    }                                                                               \
    static void from_json(const Json& json, Type& message) {                        \
        std::size_t index = 0;                                                      \
        NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(CRESCENDO_FROM_JSON, __VA_ARGS__)) \
    }

CRESCENDO_MESSAGE(Member, slot, rank)
CRESCENDO_MESSAGE(JoinGroup, join, members, command, slots)
CRESCENDO_MESSAGE(LeaveTrial, trial, save, is_complete)
CRESCENDO_MESSAGE(EvaluateTrial, slot, evaluate)
CRESCENDO_MESSAGE(AnswerStore, slot, answer)
CRESCENDO_MESSAGE(ProgramEnded, trial)
CRESCENDO_MESSAGE(ProgramRemark, trial, message)
CRESCENDO_MESSAGE(WorkerFailed, trial, slot, kind, message, fault, device)
CRESCENDO_MESSAGE(SlotDown, slot, num_retries, message, device)
CRESCENDO_MESSAGE(SlotUp, slot)
CRESCENDO_MESSAGE(StoreRequest, slot, request)
CRESCENDO_MESSAGE(WorkerStranded, trial, slot, generation)
CRESCENDO_MESSAGE(CheckpointFailed, trial, slot, message)
CRESCENDO_MESSAGE(LeftTrial, trial, slot, problem)
CRESCENDO_MESSAGE(TrialEvaluated, trial, metrics, error)
CRESCENDO_MESSAGE(AgentLost, node, reason)
CRESCENDO_MESSAGE(EnergyUsed, node, host, has_cpus, cpus, has_gpus, trials, idle_gpus)

namespace {

template <class Variant>
Bytes encode_all(const std::vector<Variant>& messages) {
    return Json::to_cbor(mapped(messages, [](const Variant& message) {
        return Json{message.index(), std::visit([](const auto& kind) { return Json(kind); }, message)};
    }));
}

template <class Variant, std::size_t... Kinds>
Variant decode_one(const Json& message, std::index_sequence<Kinds...>) {
    std::size_t index = 0;
    read_field(message.at(0), index);
    Variant result;
    const bool known =
        ((index == Kinds && (result = message.at(1).get<std::variant_alternative_t<Kinds, Variant>>(), true)) || ...);
    if (!known) {
        throw Json::out_of_range::create(401, "no message of this kind", &message);
    }
    return result;
}

template <class Variant>
std::vector<Variant> decode_all(const Bytes& bytes) {
    constexpr auto kinds = std::make_index_sequence<std::variant_size_v<Variant>>();
    return mapped(Json::from_cbor(bytes), [&](const Json& message) { return decode_one<Variant>(message, kinds); });
}

}  // namespace

Bytes encode(const std::vector<Order>& orders) { return encode_all(orders); }
Bytes encode(const std::vector<Notice>& notices) { return encode_all(notices); }
std::vector<Order> decode_orders(const Bytes& bytes) { return decode_all<Order>(bytes); }
std::vector<Notice> decode_notices(const Bytes& bytes) { return decode_all<Notice>(bytes); }

}  // namespace launch
}  // namespace crescendo
