#include "launch/slurm/slurm.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "core/check.hpp"
#include "launch/slurm/shell.hpp"

namespace crescendo::launch {

std::optional<std::string> own_job() {
    const char* job = std::getenv("SLURM_JOB_ID");
    return job != nullptr && *job != '\0' ? std::optional<std::string>(job) : std::nullopt;
}

std::optional<std::string> ask_about_job(const std::string& job, const std::string& format, const std::string& states) {
    std::vector<std::string> command{"squeue", "--noheader", "--jobs=" + job, "--format=" + format};
    if (!states.empty()) {
        command.push_back("--states=" + states);
    }
    const auto answer = run_tool(command);
    if (answer.success()) {
        return answer.output;
    }
    const bool forgotten = answer.output.find("Invalid job id") != std::string::npos;
    return forgotten ? std::optional<std::string>("") : std::nullopt;
}

std::optional<JobState> job_state(const std::string& job) {
    const auto answer = ask_about_job(job, "%T");
    if (!answer) {
        return std::nullopt;
    }
    const auto& state = *answer;
    for (const auto* queued : {"PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD"}) {
        if (state == queued) {
            return JobState::queued;
        }
    }
    for (const auto* running :
         {"RUNNING", "CONFIGURING", "COMPLETING", "STAGE_OUT", "SIGNALING", "STOPPED", "SUSPENDED", "RESIZING"}) {
        if (state == running) {
            return JobState::running;
        }
    }
    return JobState::gone;
}

std::string submit_job(const std::filesystem::path& script) {
    const auto answer = run_tool({"sbatch", "--parsable", script.string()});
    if (!answer.success()) {
        throw InvalidInput(
            answer.code == 127
                ? "there is no sbatch here, and `crescendo submit` needs Slurm; go to a login node of the cluster, or "
                  "run the sweep on this machine with `crescendo run`"
                : fmt::format("sbatch refuses the job: {}\nSee docs/slurm.md for what can be set, or `--dry-run` for "
                              "the script",
                              answer.output));
    }
    // "17", or "17;cluster"; a site's own hints may stand before it.
    const auto last_line = answer.output.substr(answer.output.rfind('\n') + 1);
    return last_line.substr(0, last_line.find(';'));
}

void cancel_job(const std::string& job) {
    const auto answer = run_tool({"scancel", job});
    CRESCENDO_VALIDATE(answer.success(), "", "job {} cannot be cancelled: {}", job, answer.output);
}

}  // namespace crescendo::launch
