#include "launch/doctor/launcher.hpp"

#include <fmt/format.h>

#include "launch/transport/launched.hpp"

namespace crescendo::launch {

Findings examine_launcher(int num_ranks, const std::string& advice,
                          const std::function<const char*(const char*)>& variable) {
    const int launched = num_launched(variable);
    if (num_ranks > 1 || launched < 2) {
        return {};
    }
    return {{Verdict::problem, "MPI",
             fmt::format("{} tasks were started, but none learns from its launcher of the others (each would begin the "
                         "sweep for itself)",
                         launched),
             advice}};
}

Findings examine_slurm(int num_ranks, const std::string& srun,
                       const std::function<const char*(const char*)>& variable) {
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
    const auto job = fmt::format("job {} on {} ({} nodes)", text("SLURM_JOB_ID"), text("SLURM_JOB_NODELIST"), nodes);
    if (nodes > num_ranks) {
        return {{Verdict::warning, about, fmt::format("{}: crescendo runs on {} of them", job, num_ranks),
                 fmt::format("{} --ntasks-per-node=1 crescendo …", srun)}};
    }
    return {{Verdict::ok, about, job}};
}

}  // namespace crescendo::launch
