#pragma once

#include <vector>

#include "launch/doctor/node_report.hpp"
#include "launch/transport/mpi_session.hpp"

namespace crescendo::launch {

/// Asks every node for a report; returns the reports by rank. Call it at rank 0, while all other ranks are in
/// serve_agent(). If a rank does not answer, its report has a problem.
std::vector<NodeReport> examine_nodes(MpiSession& session, const Examination& examination);

/// Sends this node's report; for any rank but 0, when rank 0 asks for it.
void answer_examination(MpiSession& session, const Bytes& examination);

/// Reports the MPI library, the ranks, and how long a message takes from rank 0 to the last rank and back.
Findings examine_mpi(MpiSession& session);

}  // namespace crescendo::launch
