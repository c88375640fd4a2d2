#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "launch/commands/commands.hpp"
#include "launch/steering/request.hpp"

namespace crescendo::launch {

// What the verbs share that steer a sweep through its directory.

/// Asks for these in turn, and prints what becomes of each. The process that works on the sweep is asked by files; if
/// there is none, the journal gets them here. Returns bad_input if any was refused.
ExitCode ask_for(const std::filesystem::path& directory, const std::vector<Request>& requests);

/// As ask_for(), of the same kind for each of these trials.
template <class TrialRequest>
ExitCode ask_for_each(const std::filesystem::path& directory, const std::vector<int>& trials) {
    std::vector<Request> requests;
    for (const int trial : trials) {
        requests.emplace_back(TrialRequest{TrialId{trial}});
    }
    return ask_for(directory, requests);
}

/// The trial that a word names. Throws InvalidInput if it is no number.
TrialId trial_named(const std::string& word);

}  // namespace crescendo::launch
