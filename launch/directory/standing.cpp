#include "launch/directory/standing.hpp"

#include <fmt/format.h>

#include <exception>

#include "core/check.hpp"
#include "launch/batch/job_script.hpp"
#include "launch/files/read_file.hpp"

namespace crescendo::launch {
namespace {

/// Where the sweep was when its last job was noted; nothing if that is not recorded.
std::optional<std::filesystem::path> place_of_job(const SweepDirectory& directory) {
    if (const auto run = directory.read_run(); run.contains("job_directory")) {
        return run.at("job_directory").get<std::string>();
    }
    try {
        return places_in(read_regular_file(directory.job_script())).directory;  // an older version noted the job
    } catch (const std::exception&) {
        return {};
    }
}

/// Whether the sweep was copied together with its job, which works on the original. A sweep that was only moved keeps
/// its job.
bool is_copy(const SweepDirectory& directory) {
    const auto origin = place_of_job(directory);
    return origin && directory.is_copy_of(*origin);
}

}  // namespace

std::optional<JobState> state_of_job(const SweepDirectory& directory, JobWatch* watch) {
    const auto job = directory.job();
    return job.empty() || !batch_system()->is_installed() || is_copy(directory) ? JobState::gone
                                                                                : JobWatch::state(job, watch);
}

JobState require_state_of_job(const SweepDirectory& directory, std::string_view why) {
    const auto state = state_of_job(directory);
    if (!state) {
        const auto job = directory.job();
        const auto system = batch_system();
        throw InvalidInput(fmt::format(
            "{}: {} does not say whether the sweep's last job, {}, is over, {}; see what `{}` says, and try again",
            directory.path().string(), system->name(), job, why, system->state_command(job)));
    }
    return *state;
}

bool is_open(Standing standing) {
    return standing == Standing::running || standing == Standing::queued || standing == Standing::unknown;
}

Standing standing_of(const SweepDirectory& directory, const Sweep& sweep, const std::optional<std::string>& holder,
                     JobWatch* watch) {
    switch (sweep.state()) {
        case SweepState::finished:
            return Standing::finished;
        case SweepState::failed:
            return Standing::failed;
        case SweepState::running:
            break;
    }
    if (holder) {
        return Standing::running;
    }
    const auto job = state_of_job(directory, watch);
    if (!job) {
        return Standing::unknown;
    }
    return *job == JobState::queued    ? Standing::queued
           : *job == JobState::running ? Standing::running
                                       : Standing::stopped;
}

Standing standing_of(const RecordedSweep& recorded, JobWatch* watch) {
    return standing_of(recorded.directory, recorded.history.sweep(), recorded.holder, watch);
}

}  // namespace crescendo::launch
