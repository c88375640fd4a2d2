#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "scheduler/events.hpp"
#include "scheduler/trial.hpp"

namespace crescendo::launch {

/// A trial's configuration as a journal record. There is one per trial; it is written and read as fast as reports.
struct ProposalRecord {
    TrialProposed event;
    double time = 0;  ///< seconds since the epoch
};

/// Whether a model proposed the configuration, so that a replay need not ask the model again.
bool is_from_model(Origin origin);

/// The record of the configuration of a trial that has started. If a model proposed it, the record says so, and a
/// replay need not ask the model again.
ProposalRecord record_of_start(const Trial& trial, double time);

/// The members of the record's JSON object:
/// `"event":"trial_proposed","trial":3,"config":{"lr":0.1,"width":16},"time":1.5`, with `"origin":"model"` before the
/// time if the event has one.
std::string members_of(const ProposalRecord& record);

/// Reads the output of members_of(). Returns nothing if members or formatting differ.
std::optional<ProposalRecord> proposal_from(std::string_view members);

}  // namespace crescendo::launch
