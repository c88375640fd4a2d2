#pragma once

#include <map>
#include <set>

#include "core/ids.hpp"

namespace crescendo::launch {

/// Tells a bad node from bad trials: three workers fail on it in a row, of at least two trials, and meanwhile no trial
/// that has a worker there makes progress, while there is a node without failures. Where every node has its own, it is
/// none of theirs; so the last one in use is never bad.
class NodeHealth {
  public:
    explicit NodeHealth(std::set<NodeId> nodes) : in_use_(std::move(nodes)) {}

    /// A worker of the trial failed there. Returns whether the node is to be used no more; then it is not in use.
    bool note_failure(NodeId node, TrialId trial);

    /// A trial with workers there has reported something new.
    void note_progress(const std::set<NodeId>& nodes);

    /// Whether a progress would change anything.
    bool has_doubts() const { return !doubts_.empty(); }

    void note_lost(NodeId node);

  private:
    struct Doubt {
        int failures = 0;
        std::set<TrialId> trials;
    };

    std::set<NodeId> in_use_;
    std::map<NodeId, Doubt> doubts_;
};

}  // namespace crescendo::launch
