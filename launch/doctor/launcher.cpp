#include "launch/doctor/launcher.hpp"

#include <fmt/format.h>

#include <string>

namespace crescendo::launch {

Findings examine_slurm(int num_ranks, const std::function<const char*(const char*)>& variable) {
    constexpr const char* about = "Slurm";
    const auto text = [&](const char* name) {
        const char* value = variable(name);
        return std::string(value != nullptr ? value : "");
    };
    const auto number = [&](const char* name) { return std::atoi(text(name).c_str()); };
    if (text("SLURM_JOB_ID").empty()) {
        return {{Verdict::ok, about, "not in a job"}};
    }
    const int nodes = number("SLURM_JOB_NUM_NODES");
    // sbatch's script itself has no step, and neither has what mpirun starts.
    const int tasks = text("SLURM_PROCID").empty() ? 1 : number("SLURM_STEP_NUM_TASKS");
    const auto job = fmt::format("job {} on {} ({} nodes)", text("SLURM_JOB_ID"), text("SLURM_JOB_NODELIST"), nodes);
    if (tasks > num_ranks) {
        return {
            {Verdict::problem, about,
             fmt::format("{}: srun started {} tasks, and each is alone, so that each would run the sweep", job, tasks),
             "srun --mpi=pmix, or mpirun inside the job; `srun --mpi=list` shows what there is"}};
    }
    if (nodes > num_ranks) {
        return {{Verdict::warning, about, fmt::format("{}: crescendo runs on {} of them", job, num_ranks),
                 "srun --mpi=pmix --ntasks-per-node=1 crescendo …"}};
    }
    return {{Verdict::ok, about, job}};
}

}  // namespace crescendo::launch
