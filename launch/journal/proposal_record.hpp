#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "scheduler/events.hpp"
#include "scheduler/trial.hpp"

namespace crescendo::launch {

/// The configuration of a trial as the journal has it. There is one record for each trial; it is written and read as
/// fast as reports.
struct ProposalRecord {
    TrialProposed event;
    double time = 0;  ///< seconds since the epoch
};

/// Whether a model proposed it, which a replay need not ask again.
bool is_from_model(Origin origin);

/// What the sampler proposed for a trial that has started. Where a model did, the record says so, and a replay need not
/// ask it again.
ProposalRecord record_of_start(const Trial& trial, double time);

/// The members of the record's JSON object:
/// `"event":"trial_proposed","trial":3,"config":{"lr":0.1,"width":16},"time":1.5`, with `"origin":"model"` before the
/// time if the event has one.
std::string members_of(const ProposalRecord& record);

/// Reads what members_of() wrote. Returns nothing if there are other members, or if they are written in another way.
std::optional<ProposalRecord> proposal_from(std::string_view members);

}  // namespace crescendo::launch
