#include "launch/doctor/launcher.hpp"

#include <fmt/format.h>

#include "launch/transport/launched.hpp"

namespace crescendo::launch {

Findings examine_launcher(int num_ranks, const std::string& advice, const Variables& variables) {
    const int launched = num_launched(variables);
    if (num_ranks > 1 || launched < 2) {
        return {};
    }
    return {{Verdict::problem, "MPI",
             fmt::format("{} tasks were started, but none learns from its launcher of the others (each would begin the "
                         "sweep for itself)",
                         launched),
             advice}};
}

Findings examine_job(int num_ranks, const BatchSystem& system, const RankLauncher& launcher) {
    const auto job = system.own_job();
    if (!job) {
        return {{Verdict::ok, system.name(), "not in a job"}};
    }
    const auto text = fmt::format("job {} on {} ({} nodes)", job->id, job->nodes, job->num_nodes);
    if (job->num_nodes > num_ranks) {
        return {{Verdict::warning, system.name(), fmt::format("{}: crescendo runs on {} of them", text, num_ranks),
                 launcher.on_each_node() + " crescendo …"}};
    }
    return {{Verdict::ok, system.name(), text}};
}

}  // namespace crescendo::launch
