#include "launch/journal/cost.hpp"

namespace crescendo::launch {

std::optional<double> price_of_slot_hour(const std::optional<Price>& price, const History& history) {
    return price_of_slot_hour(price, history.slot_seconds_had(), history.node_seconds_had());
}

std::optional<double> price_of_slot_hour(const std::optional<Price>& price, double slots, double nodes) {
    if (!price || price->unit == Price::Unit::slot) {
        return price ? std::optional(price->per_hour) : std::nullopt;
    }
    return slots > 0 ? std::optional(price->per_hour * nodes / slots) : std::nullopt;
}

std::optional<double> cost_of(double slot_seconds, std::optional<double> price_of_hour) {
    return price_of_hour ? std::optional(slot_seconds / 3600 * *price_of_hour) : std::nullopt;
}

}  // namespace crescendo::launch
