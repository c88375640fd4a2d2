#pragma once

#include <string>

#include "launch/record/history.hpp"

namespace crescendo::launch {

/// What a trial did, for people: "trial 3 crashed".
const char* verb_of(FailureKind kind);

/// The kind of a trial's next failure, in the light of its last: an error that says the same once more, whatever
/// numbers are in it, with no report between the two, is a repeated one. What several members of a group say of one
/// failure is none.
FailureKind kind_after(const History& history, TrialId trial, FailureKind kind, const std::string& message);

/// Three trials have used up their retries, and none has ever reported anything.
bool is_hopeless(const Sweep& sweep);

}  // namespace crescendo::launch
