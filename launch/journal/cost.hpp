#pragma once

#include <optional>

#include "launch/journal/history.hpp"
#include "launch/sweep_file/sections/price.hpp"

namespace crescendo::launch {

/// The price of one slot for an hour. Slots share the price of their nodes; if nodes have different numbers of slots,
/// every slot pays the mean. Nothing if no price was given, or if the sweep has had no node yet.
std::optional<double> price_of_slot_hour(const std::optional<Price>& price, const History& history);

/// The same for `slots` on `nodes`, which may be given as the time for which they were had.
std::optional<double> price_of_slot_hour(const std::optional<Price>& price, double slots, double nodes);

/// Cost of `slot_seconds`, the total slot time held; nothing without a price.
std::optional<double> cost_of(double slot_seconds, std::optional<double> price_of_hour);

}  // namespace crescendo::launch
