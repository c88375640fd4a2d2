#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "launch/sweep_file/sweep_file.hpp"
#include "scheduler/sweep/sweep.hpp"

namespace crescendo::launch {

/// Supplies the events of a sweep's sampler, if it proposes by events, and of its stop rule.
///
/// After each event, the code that runs a sweep calls next(), and records and applies the result, until there is none.
class ProposalSource {
  public:
    virtual ~ProposalSource() = default;

    /// The next event for `sweep`: TrialProposed or ProposalsEnded, or a stop rule's TrialStopped. Nothing if no
    /// proposal is awaited, or if there is none yet. Never waits.
    virtual std::optional<Event> next(Sweep& sweep) = 0;

    /// As next(), but waits for answers that are due. Then equal events give equal proposals if the sampler is
    /// deterministic, however long it takes.
    virtual std::optional<Event> await_next(Sweep& sweep) = 0;

    /// How long the caller may wait for other things before next() may have something new; nothing if only an event of
    /// the sweep can change that.
    virtual std::optional<std::chrono::milliseconds> patience() const = 0;
};

/// The source for samplers that are part of the state machine.
std::unique_ptr<ProposalSource> own_sampler();

/// What a source needs besides the sweep's file.
struct SourceSettings {
    std::string directory{};  ///< where a program runs; the current folder if empty
    std::string log{};        ///< the program's output is appended here; a temporary file if empty
    std::function<void(const std::string&)> say{};  ///< shows a line to the user
    std::function<void(const std::string&)> note{};  ///< as `say`, for notes about no failure; `say` if empty
};

/// The source for the sampler and the stop rule that the file names.
std::unique_ptr<ProposalSource> make_source(const SweepFile& file, SourceSettings settings);

}  // namespace crescendo::launch
