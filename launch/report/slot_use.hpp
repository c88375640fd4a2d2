#pragma once

#include <vector>

#include "launch/report/chronicle.hpp"

namespace crescendo::launch {

/// How many slots there were, and how many of them trials held, on average over each of equal steps of time.
struct SlotUse {
    double step = 0;              ///< seconds
    std::vector<double> there{};  ///< slots of the sweep
    std::vector<double> held{};   ///< slots that trials held
};

SlotUse slot_use(const std::vector<Span>& spans, const std::vector<Lane>& lanes, double until, int num_steps);

/// Slot-seconds that trials held until each of `times`, which are in ascending order.
std::vector<double> slot_seconds_at(const std::vector<Span>& spans, const std::vector<double>& times);

}  // namespace crescendo::launch
