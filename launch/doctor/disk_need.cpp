#include "launch/doctor/disk_need.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/files/paths_in.hpp"
#include "launch/display/number_text.hpp"
#include "launch/files/remove_files.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;
constexpr const char* about_disk = "disk";
constexpr const char* disk_remedy =
    "keep the files of fewer trials (`keep` in the sweep file), use --dir on a file system with more room, or remove "
    "files of earlier sweeps (`crescendo clean`)";

/// Whether any number of trials may wait, and keep their checkpoints: at rungs, for slots, or for other repetitions.
bool may_all_wait(const SweepSpec& spec) {
    const auto& scheduler = spec.scheduler;
    return spec.repeat.is_on() || scheduler.mode == Mode::promote || scheduler.kind == SchedulerKind::hyperband ||
           scheduler.kind == SchedulerKind::successive_halving || scheduler.kind == SchedulerKind::pasha ||
           (scheduler.kind == SchedulerKind::rasda && scheduler.grow == GrowPolicy::wait);
}

int most_running(const SchedulerSpec& scheduler, int num_slots) {
    return std::min(std::max(num_slots / scheduler.workers, 1), scheduler.max_concurrent.value_or(num_slots));
}

std::string best_text(int best) { return best == 1 ? "the best" : fmt::format("the best {}", best); }

}  // namespace

TrialsOnDisk trials_on_disk(const SweepFile& file, int num_slots) {
    using Programs = Keep::Programs;
    const auto& configurations = file.spec.run_cap;
    const auto cap = configurations ? std::optional(*configurations * file.spec.repeat.times) : std::nullopt;
    if (!file.has_warm_trainers() && file.keep.programs == Programs::all) {
        return {cap, "all, because keep.programs is `all`"};
    }
    if (!file.has_warm_trainers() && file.keep.programs == Programs::finished) {
        return {cap, "all, if none is stopped early"};
    }
    if (may_all_wait(file.spec)) {
        return {cap, "all, if all wait at a rung"};
    }
    const int running = most_running(file.spec.scheduler, num_slots);
    const int most = running + file.keep.best;
    if (cap && *cap <= most) {
        return {cap, "all"};
    }
    return {most, fmt::format("{} running and {}", running, best_text(file.keep.best))};
}

DiskUse disk_use(const SweepDirectory& directory) {
    DiskUse use;
    const auto any = [](std::string_view) { return true; };
    for (const auto& trial : paths_in(directory.path() / "trials")) {
        const auto size = remove_files(trial, any, Removal::pretend).bytes;
        use.all += size;
        use.largest = std::max(use.largest, size);
    }
    return use;
}

Finding examine_need(const TrialsOnDisk& trials, double per_trial, double used, const DiskRoom& room) {
    const auto left = fmt::format("{} {}", size_text(room.bytes), room.by_quota ? "of your quota is left" : "is free");
    if (!trials.most) {
        return {Verdict::warning, about_disk,
                fmt::format("any number of trials can leave files ({}), and {}", trials.reason, left),
                "set a run_cap, or keep only the files of the best trials (`keep` in the sweep file)"};
    }
    const int most = *trials.most;
    const auto who = fmt::format("at most {} {} files at a time ({})", counted(most, "trial"),
                                 most == 1 ? "has" : "have", trials.reason);
    if (per_trial <= 0) {
        return {Verdict::ok, about_disk,
                fmt::format("{}; {}, so each can take {}", who, left, size_text((room.bytes + used) / most))};
    }
    const double need = most * per_trial;
    const auto text = fmt::format("{}, {} each: {}{}; {}", who, size_text(per_trial), size_text(need),
                                  used > 0 ? fmt::format(" ({} already on disk)", size_text(used)) : "", left);
    return need - used <= room.bytes
               ? Finding{Verdict::ok, about_disk, text}
               : Finding{Verdict::warning, about_disk, text + ": a full disk may stop the sweep", disk_remedy};
}

}  // namespace crescendo::launch
