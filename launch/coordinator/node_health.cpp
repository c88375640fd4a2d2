#include "launch/coordinator/node_health.hpp"

#include <algorithm>

namespace crescendo::launch {

bool NodeHealth::note_failure(NodeId node, TrialId trial) {
    constexpr int too_many = 3;
    if (!in_use_.contains(node)) {
        return false;
    }
    auto& doubt = doubts_[node];
    ++doubt.failures;
    doubt.trials.insert(trial);
    const bool others_are_fine =
        std::any_of(in_use_.begin(), in_use_.end(), [this](NodeId other) { return !doubts_.contains(other); });
    if (doubt.failures < too_many || doubt.trials.size() < 2 || !others_are_fine) {
        return false;
    }
    note_lost(node);
    return true;
}

void NodeHealth::note_progress(const std::set<NodeId>& nodes) {
    for (const auto node : nodes) {
        doubts_.erase(node);
    }
}

void NodeHealth::note_lost(NodeId node) {
    in_use_.erase(node);
    doubts_.erase(node);
}

}  // namespace crescendo::launch
