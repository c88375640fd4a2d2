#include "launch/record/recorded_sweep.hpp"

#include "launch/record/sweep_lock.hpp"

namespace crescendo::launch {

RecordedSweep::RecordedSweep(const std::filesystem::path& path)
    : directory(SweepDirectory::open(path)),
      file(directory.read_sweep()),
      history(History::read(file.spec, directory.journal())) {}

std::optional<double> RecordedSweep::time_budget() const {
    return file.time_budget ? std::optional(std::chrono::duration<double>(*file.time_budget).count()) : std::nullopt;
}

JobState state_of_job(const SweepDirectory& directory) {
    const auto job = directory.read_run().value("job", "");
    return job.empty() ? JobState::gone : job_state(job).value_or(JobState::gone);
}

std::string state_of(const RecordedSweep& sweep) {
    switch (sweep.history.sweep().state()) {
        case SweepState::finished:
            return "finished";
        case SweepState::failed:
            return "failed";
        case SweepState::running:
            break;
    }
    if (SweepLock::holder(sweep.directory)) {
        return "running";
    }
    const auto state = state_of_job(sweep.directory);
    return state == JobState::queued ? "queued" : state == JobState::running ? "running" : "stopped";
}

}  // namespace crescendo::launch
