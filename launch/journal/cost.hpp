#pragma once

#include <optional>

#include "launch/journal/history.hpp"
#include "launch/sweep_file/sections/price.hpp"

namespace crescendo::launch {

/// What an hour of one slot of a sweep costs. Slots share the price of their nodes; if nodes have different numbers of
/// slots, every slot pays the mean. Nothing if nobody said a price, or if the sweep has had no node yet.
std::optional<double> price_of_slot_hour(const std::optional<Price>& price, const History& history);

/// What the slots cost that were held for so long in all; nothing without a price.
std::optional<double> cost_of(double slot_seconds, std::optional<double> price_of_hour);

}  // namespace crescendo::launch
