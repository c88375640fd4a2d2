#pragma once

#include "launch/json/json.hpp"
#include "scheduler/sweep/sweep.hpp"

namespace crescendo::launch {

/// An action in the form of `ask-tell` (docs/ask-tell.md), with what the launcher needs to carry it out:
///
///   {"action":"start_trial","trial":3,"slots":[0],"generation":0,"batch_multiple":1,"config":{"lr":0.1}}
///   {"action":"resume_trial",…the same…}
///   {"action":"regroup","trial":3,"slots":[0,1],"generation":1,"batch_multiple":2}
///   {"action":"pause_trial","trial":3}
///   {"action":"stop_trial","trial":3,"reason":"judged"}         reason: see stop_reasons
///   {"action":"drop_checkpoint","trial":3}
///   {"action":"finish_sweep","reason":"all_trials_done",
///    "best":{"trial":3,"resource":9,"metrics":{"val_loss":0.1},"config":{"lr":0.1}}}
///
/// `sweep` is the sweep that returned the action, in its state after the event that led to it.
OrderedJson to_json(const Action& action, const Sweep& sweep);

}  // namespace crescendo::launch
