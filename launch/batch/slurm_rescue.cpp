#include "launch/batch/slurm_rescue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <thread>

#include "core/shell_words.hpp"
#include "launch/batch/slurm_tools.hpp"

namespace crescendo::launch {
namespace {

/// Nodes of a running job. The script's host stays the same when its node no longer belongs to the job.
struct Place {
    std::string nodes;  ///< n[1-4]; empty if the job does not run
    std::string script_host;
};

/// Where the job runs. Returns nothing if Slurm cannot be asked.
std::optional<Place> place_of(const std::string& job) {
    const auto answer = ask_squeue(job, "%N %B", "RUNNING");
    if (!answer) {
        return std::nullopt;
    }
    Place place;
    std::istringstream(*answer) >> place.nodes >> place.script_host;
    return place;
}

bool has_script(const Place& place) {
    const auto answer = run_slurm_tool({"scontrol", "show", "hostnames", place.nodes});
    std::istringstream hosts(answer.output);
    return !answer.success() || std::find(std::istream_iterator<std::string>(hosts), {}, place.script_host) !=
                                    std::istream_iterator<std::string>();
}

/// Whether the node's daemon can start a process there.
bool answers(const std::string& job, const std::string& host) {
    return run_slurm_tool({"srun", "--jobid=" + job, "--mpi=none", "--overlap", "--nodes=1", "--ntasks=1",
                           "--nodelist=" + host, "true"})
        .success();
}

/// Whether Slurm doubts the node too ("alloc*", "down"), or cannot be asked.
bool is_doubtful(const std::string& host) {
    const auto answer = run_slurm_tool({"sinfo", "--noheader", "--nodes=" + host, "--format=%t"});
    return !answer.success() || answer.output.find('*') != std::string::npos || answer.output.starts_with("down");
}

/// Writes the line before the action, because Slurm ends this rank as soon as it queues the job again. Skips a line
/// that another rank has just written.
void say_first(const std::string& line, const std::filesystem::path& log) {
    std::ostringstream text;
    text << std::ifstream(log).rdbuf();
    if (!text.view().ends_with(line)) {
        std::ofstream(log, std::ios::app) << line;
    }
}

/// Whether Slurm refuses for good, rather than being unable now.
bool is_refusal(const std::string& words) {
    return std::ranges::any_of(requeue_refusals, [&](auto each) { return words.find(each) != std::string::npos; });
}

/// Returns whether the job is settled: queued again, by us or another rank, or cancelled because requeueing is not
/// allowed.
bool queue_again(const std::string& job, const Place& place, const std::filesystem::path& log) {
    say_first(fmt::format("node {} died with the script of job {}: queueing the job again\n", place.script_host, job),
              log);
    const auto answer = run_slurm_tool({"scontrol", "requeue", job});
    if (answer.success() || !is_refusal(answer.words())) {
        return answer.success();
    }
    if (const auto now = place_of(job); now && !now->nodes.empty()) {  // no other rank has requeued it
        run_slurm_tool({"scancel", job});
        std::ofstream(log, std::ios::app) << fmt::format(
            "Slurm does not queue job {} again ({}), so it is cancelled; `crescendo submit {}` continues the sweep\n",
            job, answer.words(), shell_quoted(log.parent_path()));
    }
    return true;
}

}  // namespace

void rescue_if_orphaned(const std::string& job, const std::filesystem::path& log, std::chrono::milliseconds pause) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::minutes patience(5);
    for (auto until = Clock::now() + patience; Clock::now() < until; std::this_thread::sleep_for(pause)) {
        const auto place = place_of(job);
        if (!place) {
            until = Clock::now() + patience;
            continue;
        }
        if (place->nodes.empty()) {
            return;
        }
        if (!has_script(*place)) {
            if (queue_again(job, *place, log)) {
                return;
            }
            until = Clock::now() + patience;
            continue;
        }
        if (answers(job, place->script_host)) {
            return;
        }
        if (is_doubtful(place->script_host)) {
            until = Clock::now() + patience;
        }
    }
}

}  // namespace crescendo::launch
