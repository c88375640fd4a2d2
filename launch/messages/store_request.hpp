#pragma once

#include "launch/json/json.hpp"

namespace crescendo::launch {

/// Checks that a worker's request to its group's store is complete, so that Rendezvous can handle it. Rendezvous itself
/// answers unknown operations. Throws std::runtime_error with the problem.
void require_store_request(const Json& request);

}  // namespace crescendo::launch
