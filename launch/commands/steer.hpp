#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/mapped.hpp"
#include "launch/commands/commands.hpp"
#include "launch/steering/request.hpp"

namespace crescendo::launch {

// Shared by the verbs that steer a sweep through its directory.

/// Makes these requests in order, and prints the result of each. If a process works on the sweep, it gets them as
/// files; otherwise this function appends them to the journal. Returns bad_input if any was refused.
ExitCode ask_for(const std::filesystem::path& directory, const std::vector<Request>& requests);

/// Makes one request of the type TrialRequest for each trial, as ask_for() does.
template <class TrialRequest>
ExitCode ask_for_each(const std::filesystem::path& directory, const std::vector<int>& trials) {
    return ask_for(directory, mapped(trials, [](int trial) { return Request(TrialRequest{TrialId{trial}}); }));
}

/// Parses the id of a trial. Throws InvalidInput if `word` is not a number.
TrialId trial_named(const std::string& word);

}  // namespace crescendo::launch
