#pragma once

#include <cstddef>
#include <string>

#include "launch/messages/messages.hpp"
#include "launch/record/history.hpp"

namespace crescendo::launch {

/// What a trial did, for people: "trial 3 crashed".
const char* verb_of(FailureKind kind);

/// The kind of a trial's next failure, in the light of its last: an error that says the same once more, whatever
/// numbers are in it, with no report between the two, is a repeated one. What several members of a group say of one
/// failure is none.
FailureKind kind_after(const History& history, TrialId trial, FailureKind kind, const std::string& message);

/// Whether a sweep of which no trial has ever reported anything is worth going on with.
///
/// It is not once three trials have failed for good; nor where a program ended well and never reported, as all others
/// would; nor where one refused its arguments, and so did all those that had begun by then. (Where they do not, it was
/// one configuration that is wrong, and costs that trial alone.)
class Prospects {
  public:
    /// A trial has failed so, which `sweep` does not know yet.
    void note(ProgramFault fault, const Sweep& sweep);

    bool are_hopeless(const Sweep& sweep) const;

  private:
    bool never_reports_ = false;
    std::size_t num_suspects_ = 0;  ///< the first trials, which had begun when the first one refused its arguments
};

}  // namespace crescendo::launch
