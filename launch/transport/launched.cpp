#include "launch/transport/launched.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "launch/transport/mpi_session.hpp"

namespace crescendo::launch {

int num_launched(const Variables& variables) {
    // Open MPI's mpirun; PMI, which Hydra and other launchers use.
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
        if (const char* value = variables(name)) {
            return std::max(1, std::atoi(value));
        }
    }
    // Last, because MPI launchers use the batch system's launcher to start their own helpers.
    return batch_system(variables)->num_tasks().value_or(1);
}

RankLauncher rank_launcher() { return batch_system()->rank_launcher(MpiSession::pmi()); }

std::string advice_on_crowding() {
    return fmt::format(
        "start one process on each node (`{}`, or `mpirun --map-by ppr:1:node`), unless each has its own GPUs",
        rank_launcher().on_each_node());
}

}  // namespace crescendo::launch
