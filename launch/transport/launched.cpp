#include "launch/transport/launched.hpp"

#include <algorithm>

namespace crescendo::launch {

int num_launched(const std::function<const char*(const char*)>& variable) {
    // Open MPI's mpirun; PMI, spoken by Hydra and by srun; srun itself, which other launchers use to start their own
    // helpers, so that its word comes last.
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
        if (const char* value = variable(name)) {
            return std::max(1, std::atoi(value));
        }
    }
    return 1;
}

}  // namespace crescendo::launch
