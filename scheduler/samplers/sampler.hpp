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
/// A sampler is a part of the sweep's state machine. It sees only what it is told, so equal events give equal
/// proposals, bit for bit, and a replay computes them again. If that would be too expensive, or impossible, proposals
/// are events (`proposes_by_events`), and a replay takes them from the journal.
class Sampler {
  public:
    virtual ~Sampler() = default;

    /// Proposes what `trial`, the next to start, begins with. Nothing means "nothing yet": the sampler needs more
    /// results first. It is asked again at every event until it proposes something.
    virtual std::optional<Proposal> propose(TrialId trial) = 0;

    /// Tells the sampler the present state of `trial`: it has started, has reported, has ended, or waits to be retried.
    /// The trial's configuration may come from an event instead of from propose(). Telling the same twice changes
    /// nothing.
    virtual void tell(const Trial& /*trial*/) {}

    /// Whether each proposal has to be an event before its trial can start. Then only Sweep::propose() asks the
    /// sampler, and Sweep::apply() never does. A replay does not ask, so propose() must change nothing that later
    /// proposals depend on.
    virtual bool proposes_by_events() const { return false; }

    /// A copy, which makes the same proposals from then on.
    virtual std::unique_ptr<Sampler> clone() const = 0;

  protected:
    Sampler() = default;
    Sampler(const Sampler&) = default;
    Sampler& operator=(const Sampler&) = default;
};

}  // namespace crescendo
