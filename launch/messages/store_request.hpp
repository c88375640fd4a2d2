#pragma once

#include "launch/json/json.hpp"

namespace crescendo::launch {

/// Checks that a worker's request to the store of its group has what its operation needs, so that Rendezvous can handle
/// it. Operations that are not known are answered there. Throws std::runtime_error with the problem.
void require_store_request(const Json& request);

}  // namespace crescendo::launch
