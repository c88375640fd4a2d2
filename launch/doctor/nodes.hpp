#pragma once

#include <vector>

#include "launch/doctor/node_report.hpp"
#include "launch/transport/mpi_session.hpp"

namespace crescendo::launch {

/// At rank 0, while all the other ranks are in serve_agent(): what every node says, by rank. A rank that does not
/// answer is a problem in its report.
std::vector<NodeReport> examine_nodes(MpiSession& session, const Examination& examination);

/// At any other rank, when rank 0 asks for it.
void answer_examination(MpiSession& session, const Bytes& examination);

/// The library, the ranks, and how long a message takes from rank 0 to the last and back.
Findings examine_mpi(MpiSession& session);

}  // namespace crescendo::launch
