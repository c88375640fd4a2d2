#include "launch/record/waste.hpp"

namespace crescendo::launch {
namespace {

/// Also one that was being written when its trainer died, under a name such as checkpoint.pt.tmp.
bool is_checkpoint(std::string_view name) { return name == "checkpoint.pt" || name.starts_with("checkpoint.pt.tmp"); }

bool is_record(std::string_view name) {
    return name == "params.json" || name == "trainer.log" || name == "latency.json";
}

}  // namespace

Removed remove_waste(Waste waste, TrialId trial, const SweepDirectory& directory,
                     std::chrono::steady_clock::time_point end, Removal removal) {
    switch (waste) {
        case Waste::nothing:
            return {};
        case Waste::checkpoint:
            return remove_files(directory.trial(trial), is_checkpoint, end, removal);
        case Waste::all_files:
            break;
    }
    return remove_files(directory.trial(trial), [](std::string_view name) { return !is_record(name); }, end, removal);
}

}  // namespace crescendo::launch
