#include "launch/directory/kept_trials.hpp"

#include <iterator>

#include "core/check.hpp"

namespace crescendo::launch {
namespace {

bool has_ended_well(const Trial& trial) { return trial.ended() && trial.status != TrialStatus::failed; }

}  // namespace

std::set<TrialId> KeptTrials::note_all(const Sweep& sweep) {
    const auto best = sweep.best_ended();
    const auto* kept = best ? &sweep.candidate_of(*best) : nullptr;
    std::set<TrialId> may_go;
    for (const auto& trial : sweep.trials()) {
        const auto& candidate = sweep.candidate_of(trial.id);
        if (has_ended_well(trial) && candidate.ended() && &candidate != kept) {
            if (const auto id = note_beaten(trial)) {
                may_go.insert(*id);
            }
        }
    }
    return may_go;
}

std::optional<TrialId> KeptTrials::note_beaten(const Trial& trial) {
    CRESCENDO_EXPECT(has_ended_well(trial));
    if (!trial.may_be_best()) {
        return trial.id;
    }
    runners_up_.emplace(*trial.loss, trial.id);
    if (runners_up_.size() < static_cast<std::size_t>(keep_.best)) {
        return {};
    }
    return runners_up_.extract(std::prev(runners_up_.end())).value().second;
}

Waste KeptTrials::waste_of(const Trial& trial) const {
    using Programs = Keep::Programs;
    if (keep_.programs == Programs::best ||
        (keep_.programs == Programs::finished && trial.status != TrialStatus::finished)) {
        return Waste::all_files;
    }
    return has_warm_trainers_ ? Waste::checkpoint : Waste::nothing;
}

Cleaned clean_up(KeptTrials kept, const Sweep& sweep, const SweepDirectory& directory, Removal removal) {
    Cleaned all;
    for (const auto id : kept.note_all(sweep)) {
        const auto waste = kept.waste_of(sweep.trial(id));
        const auto removed = remove_waste(waste, id, directory, removal);
        all.num_trials += removed.files > 0 ? 1 : 0;
        all.bytes += removed.bytes;
        all.files += removed.files;
        all.left += removed.left;
    }
    return all;
}

}  // namespace crescendo::launch
