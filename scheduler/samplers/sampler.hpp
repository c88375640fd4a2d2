#pragma once

#include <memory>
#include <optional>

#include "core/ids.hpp"
#include "core/value.hpp"
#include "scheduler/trial.hpp"

namespace crescendo {

/// What a new trial begins with.
struct Proposal {
    Config config;
    Origin origin = Origin::random;
};

/// Proposes the configurations of new trials.
///
/// A sampler is a part of the sweep's state machine. It sees nothing but what it is told, so equal events give equal
/// proposals, bit for bit, and a replay computes them again. Where that would be too dear, or impossible, proposals are
/// events (`proposes_by_events`), and a replay takes them from the journal.
class Sampler {
  public:
    virtual ~Sampler() = default;

    /// Proposes what `trial`, the next to start, begins with. Nothing means "nothing yet": the sampler wants to be told
    /// more first. It is asked again at the next event, as often as that takes.
    virtual std::optional<Proposal> propose(TrialId trial) = 0;

    /// Tells how `trial` is now: it has started, has reported, has ended, or waits to be retried. Its configuration may
    /// come from an event instead of from propose(). To be told the same twice changes nothing.
    virtual void tell(const Trial& /*trial*/) {}

    /// Whether each proposal has to be an event before its trial can start. Then Sweep::propose() asks the sampler, and
    /// no event does. A replay does not ask: propose() must change nothing that later proposals depend on.
    virtual bool proposes_by_events() const { return false; }

    /// A sampler that goes on as this one would.
    virtual std::unique_ptr<Sampler> clone() const = 0;

  protected:
    Sampler() = default;
    Sampler(const Sampler&) = default;
    Sampler& operator=(const Sampler&) = default;
};

}  // namespace crescendo
