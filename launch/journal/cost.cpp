#include "launch/journal/cost.hpp"

namespace crescendo::launch {

std::optional<double> price_of_slot_hour(const std::optional<Price>& price, const History& history) {
    if (!price || price->unit == Price::Unit::slot) {
        return price ? std::optional(price->per_hour) : std::nullopt;
    }
    const double slot_seconds = history.slot_seconds_had();
    return slot_seconds > 0 ? std::optional(price->per_hour * history.node_seconds_had() / slot_seconds) : std::nullopt;
}

std::optional<double> cost_of(double slot_seconds, std::optional<double> price_of_hour) {
    return price_of_hour ? std::optional(slot_seconds / 3600 * *price_of_hour) : std::nullopt;
}

}  // namespace crescendo::launch
