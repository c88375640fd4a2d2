#include "launch/transport/wire.hpp"

#include <utility>

// Found by argument-dependent lookup, so in the namespace of the types.
namespace crescendo {

template <class Tag>
void to_json(nlohmann::json& json, const Id<Tag>& id) {
    json = id.value;
}

template <class Tag>
void from_json(const nlohmann::json& json, Id<Tag>& id) {
    id.value = json.get<std::int32_t>();
}

static void to_json(nlohmann::json& json, const Resource& resource) { json = resource.value; }

static void from_json(const nlohmann::json& json, Resource& resource) { resource.value = json.get<std::int64_t>(); }

namespace launch {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrialWork, trial, seed, directory, max_resource, settings, command)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Member, slot, rank)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(JoinGroup, work, generation, size, members, state, batch_multiple, accumulation,
                                   checkpoint_at, reported)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GoOn, trial, batch_multiple, checkpoint_at)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LeaveTrial, trial, save)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EvaluateTrial, work, slot, resource, checkpoint, data)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AnswerStore, slot, answer)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrialMetrics, trial, resource, metrics, data_wait)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProgramEnded, trial)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WorkerFailed, trial, slot, kind, message, fault)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SlotDown, slot, num_retries, message)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SlotUp, slot)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StoreRequest, slot, request)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GroupFormed, trial, generation, seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WorkerStranded, trial, slot, generation)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckpointFailed, trial, slot, message)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LeftTrial, trial, slot, problem)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrialEvaluated, trial, metrics, error)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AgentLost, node, reason)

namespace {

template <class Variant>
Bytes encode_all(const std::vector<Variant>& messages) {
    Json list = Json::array();
    for (const auto& message : messages) {
        list.push_back({message.index(), std::visit([](const auto& kind) { return Json(kind); }, message)});
    }
    return Json::to_cbor(list);
}

template <class Variant, std::size_t... Kinds>
Variant decode_one(const Json& message, std::index_sequence<Kinds...>) {
    const auto index = message.at(0).get<std::size_t>();
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
    std::vector<Variant> result;
    for (const auto& message : Json::from_cbor(bytes)) {
        result.push_back(decode_one<Variant>(message, std::make_index_sequence<std::variant_size_v<Variant>>()));
    }
    return result;
}

}  // namespace

Bytes encode(const std::vector<Order>& orders) { return encode_all(orders); }
Bytes encode(const std::vector<Notice>& notices) { return encode_all(notices); }
std::vector<Order> decode_orders(const Bytes& bytes) { return decode_all<Order>(bytes); }
std::vector<Notice> decode_notices(const Bytes& bytes) { return decode_all<Notice>(bytes); }

}  // namespace launch
}  // namespace crescendo
