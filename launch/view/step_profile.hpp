#pragma once

#include <string>

#include "core/trial_protocol.hpp"
#include "launch/display/table.hpp"

namespace crescendo::launch {

/// How a trial spends its time. For people: a table of the parts of a step, the time outside of steps, the share of the
/// processor's speed, and advice. As JSON: everything that the trainer measured. As CSV: one row of it.
std::string profile_text(const protocol::Profiled& profile, int num_workers, Format format);

/// The bottleneck of the trial, and what to do about it, in one or two sentences.
std::string advice_of(const protocol::Profiled& profile, int num_workers);

}  // namespace crescendo::launch
