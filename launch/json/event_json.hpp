#pragma once

#include <string>

#include "launch/json/json.hpp"
#include "scheduler/events.hpp"

namespace crescendo::launch {

/// An event in the form of the journal and `ask-tell`:
///
///   {"event":"slots_joined","slots":[{"slot":0,"node":0}]}     {"event":"slots_lost","slots":[0]}
///   {"event":"trial_reported","trial":3,"resource":1,"loss":0.31,"step":[0.025,256,810.5],"clock":[41.2]}
///   {"event":"trial_timed","trial":3,"generation":0,"step":[0.025,256]}
///   {"event":"trial_regrouped","trial":3,"generation":1,"seconds":0.06,"step":[0.014]}
///   {"event":"trial_finished","trial":3}
///   {"event":"trial_failed","trial":3,"kind":"crash"}           kind: crash, error, out_of_memory
///   {"event":"trial_failed","trial":3,"kind":"error","slot":0,"suspect":0}
///   {"event":"time_up"}                                         {"event":"cancelled"}
///   {"event":"trial_proposed","trial":3,"config":{"lr":0.1}}    {"event":"trial_retried","trial":3}
///   {"event":"trial_stopped","trial":3}                         {"event":"trial_time_up","trial":3}
///   {"event":"trial_held","trial":3,"at":"report"}              {"event":"trial_released","trial":3}
///   {"event":"limits_changed","run_cap":200,"target":null,"time_budget":true,"max_concurrent":null,"max_retries":2,
///    "time_left":true}                                          all of them, also those that stay
///
/// The key "step" has the seconds, the batch and the noise scale of the trial's steps. Unmeasured values are null,
/// nulls at the end are left out, and the key is missing if nothing was measured. This keeps the journal small.
///
/// A loss that is not finite is the worst possible and becomes null, which reads back as +infinity. A finite loss reads
/// back bit for bit. "clock" is a list of seconds, whose first number is the event's; it is missing if nobody measured
/// it.
OrderedJson to_json(const Event& event);

/// An event as a journal record, with its time in seconds since the epoch.
OrderedJson record_of(const Event& event, double time);

/// The members of a report's JSON object except its clock, as text. Most events are reports, and a journal writes them
/// without a JSON value in between.
std::string members_of(const TrialReported& event);

/// Reads an event. Ignores unknown keys. Throws InvalidInput on an unknown event, and on a key that is missing or has
/// the wrong type.
Event event_from_json(const Json& json);

}  // namespace crescendo::launch
