#include "launch/doctor/examinations.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <system_error>

#include "core/files/host_name.hpp"
#include "launch/transport/launched.hpp"
#include "launch/transport/mpi_session.hpp"

namespace crescendo::launch {
namespace {

/// Advice on how to launch tasks so that MPI connects them.
std::string launch_advice() {
    const auto library = MpiSession::library();
    if (library.empty()) {
        return "this crescendo was built without MPI (CRESCENDO_MPI=OFF): start one task only";
    }
    const auto launcher = rank_launcher();
    return fmt::format(
        "crescendo was built with {}; start it with that MPI's launcher, or with `{}` (`{}` lists what this {} "
        "supports)",
        library, launcher.on_each_node(), launcher.help, batch_system()->name());
}

}  // namespace

Findings examine_launcher(int num_ranks, const Variables& variables) {
    const int launched = num_launched(variables);
    if (num_ranks > 1 || launched < 2) {
        return {};
    }
    return {{Verdict::problem, "MPI",
             fmt::format("{} tasks were started, but MPI did not connect them, so each would run the whole sweep",
                         launched),
             launch_advice()}};
}

Findings examine_library(int num_ranks, const std::string& library, const Variables& variables,
                         const std::filesystem::path& fabrics) {
    constexpr std::string_view name = "Open MPI v";
    constexpr int first_version = 5;
    const auto* const layer = variables("OMPI_MCA_pml");
    std::error_code none;
    using std::filesystem::directory_iterator;
    const bool has_fabric = directory_iterator(fabrics, none) != directory_iterator();
    if (num_ranks < 2 || !library.starts_with(name) || std::atoi(library.c_str() + name.size()) < first_version ||
        (layer != nullptr && std::string_view(layer) == "ucx") || has_fabric) {
        return {};
    }
    return {
        {Verdict::warning, "MPI",
         fmt::format(
             "{} over its own TCP ends all ranks when one dies, so the sweep continues only if its job is restarted",
             library),
         "make it use UCX: docs/slurm.md, \"Open MPI 5\", has the lines for the site profile"}};
}

Findings examine_job(int num_ranks, const BatchSystem& system) {
    const auto job = system.own_job();
    if (!job) {
        return {{Verdict::ok, system.name(), "not in a job"}};
    }
    const auto text = fmt::format("job {} on {} ({} nodes)", job->id, job->nodes, job->num_nodes);
    const auto remedy = rank_launcher().on_each_node() + " crescendo …";
    if (num_ranks == 1 && system.is_beside_own_job()) {
        return {{Verdict::warning, system.name(),
                 fmt::format("{}: crescendo runs on {}, which only holds the job, and not on the job's nodes", text,
                             host_name()),
                 remedy}};
    }
    if (job->num_nodes > num_ranks) {
        return {{Verdict::warning, system.name(), fmt::format("{}: crescendo runs on {} of them", text, num_ranks),
                 remedy}};
    }
    return {{Verdict::ok, system.name(), text}};
}

}  // namespace crescendo::launch
