#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "launch/sweep_file/sweep_file.hpp"
#include "scheduler/sweep/sweep.hpp"

namespace crescendo::launch {

/// Who answers for the sampler of a sweep that proposes by events, and for its stop rule.
///
/// Whoever runs a sweep asks after each event, and records and applies what it gets, until it gets nothing.
class ProposalSource {
  public:
    virtual ~ProposalSource() = default;

    /// The next event for `sweep`: TrialProposed or ProposalsEnded, or TrialStopped of a stop rule. Nothing if no
    /// proposal is awaited, or if there is none yet. Never waits.
    virtual std::optional<Event> next(Sweep& sweep) = 0;

    /// As next(), but waits for the answers that are due. So equal events give equal proposals if the sampler is
    /// deterministic, however long it takes.
    virtual std::optional<Event> await_next(Sweep& sweep) = 0;

    /// How long to wait for other things to happen until next() may have something new; nothing if only an event of the
    /// sweep brings that.
    virtual std::optional<std::chrono::milliseconds> patience() const = 0;
};

/// The source for samplers that are part of the state machine.
std::unique_ptr<ProposalSource> own_sampler();

/// What a source needs to know beside the sweep's file.
struct SourceSettings {
    std::string directory{};  ///< where a program runs; the present folder if empty
    std::string log{};        ///< what it prints is appended here; a temporary file if empty
    std::function<void(const std::string&)> say{};  ///< shows a line to the user
    std::function<void(const std::string&)> note{};  ///< the same, of what is no failure; `say` if empty
};

/// The source for the sampler and the stop rule that the file names.
std::unique_ptr<ProposalSource> make_source(const SweepFile& file, SourceSettings settings);

}  // namespace crescendo::launch
