#pragma once

#include <vector>

#include "launch/doctor/node_report.hpp"
#include "launch/transport/mpi_session.hpp"

namespace crescendo::launch {

/// Asks every node for a report, and returns the reports by rank. Call it on rank 0, while all other ranks are in
/// serve_agent(). The report of a rank that does not answer has a problem.
std::vector<NodeReport> examine_nodes(MpiSession& session, const Examination& examination);

/// Sends this node's report. Call it on any rank but 0, when rank 0 asks for the report.
void answer_examination(MpiSession& session, const Bytes& examination);

/// Reports the MPI library, the number of ranks, and the round-trip time of a message between rank 0 and the last rank.
Findings examine_mpi(MpiSession& session);

}  // namespace crescendo::launch
