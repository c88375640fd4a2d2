#include "launch/json/metrics_json.hpp"

#include "core/message_json.hpp"

namespace crescendo::launch {

Json to_json(const protocol::Metrics& metrics) { return protocol::ValueWriter<Json>()(metrics); }

protocol::Metrics metrics_from(const Json& json) {
    protocol::Metrics metrics;
    protocol::ValueReader<Json>{json}(metrics);
    return metrics;
}

}  // namespace crescendo::launch
