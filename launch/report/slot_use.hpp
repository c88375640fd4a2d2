#pragma once

#include <vector>

#include "launch/report/chronicle.hpp"

namespace crescendo::launch {

/// The number of slots over time, and how many of them trials held: means over equal time steps.
struct SlotUse {
    double step = 0;              ///< seconds
    std::vector<double> there{};  ///< slots of the sweep
    std::vector<double> held{};   ///< slots that trials held
};

SlotUse slot_use(const std::vector<Span>& spans, const std::vector<Lane>& lanes, double until, int num_steps);

/// Slot-seconds that trials had held at each of `times`, which must be in ascending order.
std::vector<double> slot_seconds_at(const std::vector<Span>& spans, const std::vector<double>& times);

}  // namespace crescendo::launch
