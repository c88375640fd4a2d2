#pragma once

#include <string>

#include "core/trial_protocol.hpp"
#include "launch/display/table.hpp"

namespace crescendo::launch {

/// Where a trial's time goes, for people: a table of the parts of a step, what lies outside of steps, the share of the
/// processor's speed, and the advice. As JSON: what the trainer measured. As CSV: one row of it.
std::string profile_text(const protocol::Profiled& profile, int num_workers, Format format);

/// What bounds the trial, and what to do about it, in a sentence or two.
std::string advice_of(const protocol::Profiled& profile, int num_workers);

}  // namespace crescendo::launch
