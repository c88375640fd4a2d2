#include "launch/directory/waste.hpp"

#include <string>
#include <string_view>

#include "launch/messages/trial_files.hpp"

namespace crescendo::launch {
namespace {

/// Whether the file is a checkpoint, or a partial one from a trainer that died, with a name such as checkpoint.pt.tmp.
bool is_checkpoint(std::string_view name) {
    return name == trial_files::checkpoint || name.starts_with(std::string(trial_files::checkpoint) + ".tmp");
}

bool is_record(std::string_view name) {
    return name == trial_files::parameters || name == trial_files::log || name == trial_files::latency;
}

}  // namespace

Removed remove_waste(Waste waste, TrialId trial, const SweepDirectory& directory, Removal removal,
                     std::chrono::steady_clock::time_point end) {
    switch (waste) {
        case Waste::nothing:
            return {};
        case Waste::checkpoint:
            return remove_files(directory.trial(trial), is_checkpoint, removal, end);
        case Waste::all_files:
            break;
    }
    return remove_files(
        directory.trial(trial), [](std::string_view name) { return !is_record(name); }, removal, end);
}

bool has_left_files(TrialId trial, const SweepDirectory& directory) {
    return remove_waste(Waste::all_files, trial, directory, Removal::pretend).files > 0;
}

}  // namespace crescendo::launch
