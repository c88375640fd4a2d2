#include "launch/slurm/orphaned_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "launch/slurm/shell.hpp"

namespace crescendo::launch {
namespace {

/// Of a running job. The host of the script stays the same when the node is no longer one of the job's.
struct Place {
    std::string nodes;  ///< n[1-4]
    std::string script_host;
};

/// No nodes where it does not run.
Place place_of(const std::string& job) {
    Place place;
    const auto answer = run_tool({"squeue", "--noheader", "--jobs=" + job, "--states=RUNNING", "--format=%N %B"});
    std::istringstream(answer.success() ? answer.output : "") >> place.nodes >> place.script_host;
    return place;
}

bool has_script(const Place& place) {
    std::istringstream hosts(run_tool({"scontrol", "show", "hostnames", place.nodes}).output);
    return std::find(std::istream_iterator<std::string>(hosts), {}, place.script_host) !=
           std::istream_iterator<std::string>();
}

/// The node's daemon starts a process there.
bool answers(const std::string& job, const std::string& host) {
    return run_tool({"srun", "--jobid=" + job, "--mpi=none", "--overlap", "--nodes=1", "--ntasks=1",
                     "--nodelist=" + host, "true"})
        .success();
}

}  // namespace

void rescue_if_orphaned(const std::string& job, const std::filesystem::path& log) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(20);
    do {
        const auto place = place_of(job);
        if (place.nodes.empty()) {
            return;
        }
        if (!has_script(place)) {
            const auto answer = run_tool({"scontrol", "requeue", job});
            std::ofstream(log, std::ios::app)
                << fmt::format("node {} died with the script of job {}, which is queued again{}{}\n", place.script_host,
                               job, answer.success() ? "" : ", or should be: ", answer.output);
            return;
        }
        if (answers(job, place.script_host)) {
            return;
        }
        std::this_thread::sleep_for(std::chrono::seconds(5));
    } while (std::chrono::steady_clock::now() < until);
}

}  // namespace crescendo::launch
