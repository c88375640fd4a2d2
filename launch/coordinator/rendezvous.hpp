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
/// Keys live in one generation of one trial. Requests that wait for a key are kept until somebody sets it.
class Rendezvous {
  public:
    /// The answers that are due: to this request, and to those that waited for what it set.
    std::vector<AnswerStore> handle(const StoreRequest& request);

    /// A group is over, or another generation follows: its keys and whoever waits for them are forgotten.
    void forget(TrialId trial);

  private:
    struct Space {
        std::map<std::string, Json> entries;  ///< {"value": base64} or {"number": n}
        std::vector<StoreRequest> waiting;    ///< in order of arrival
    };

    std::vector<AnswerStore> answer_waiting(Space& space);

    std::map<std::pair<TrialId, int>, Space> spaces_;
};

}  // namespace crescendo::launch
