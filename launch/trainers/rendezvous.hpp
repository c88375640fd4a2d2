#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/ids.hpp"
#include "launch/messages/messages.hpp"

namespace crescendo::launch {

/// The key-value store through which the members of a group meet: the coordinator's end of c10d::Store.
///
/// Keys belong to one generation of one trial. Requests that wait for a key are kept until a member sets it.
class Rendezvous {
  public:
    /// Handles a valid request (require_store_request). Returns the answers that are now due: to this request, and to
    /// earlier requests that waited for the key it set.
    std::vector<AnswerStore> handle(const StoreRequest& request);

    /// Forgets the trial's keys and the requests that wait for them. Call it when its group is over, or the next
    /// generation begins.
    void forget(TrialId trial) {
        forget_if([&](TrialId each) { return each == trial; });
    }

    /// Forgets the keys and requests of all trials for which `is_over` returns true.
    void forget_if(const auto& is_over) {
        std::erase_if(spaces_, [&](const auto& space) { return is_over(space.first.first); });
    }

  private:
    struct Space {
        std::map<std::string, Json> entries;  ///< {"value": base64} or {"number": n}
        std::vector<StoreRequest> waiting;    ///< requests that wait for a key, in order of arrival
    };

    std::vector<AnswerStore> answer_waiting(Space& space);

    std::map<std::pair<TrialId, int>, Space> spaces_;
};

}  // namespace crescendo::launch
