#include "scheduler/sweep/candidates.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace crescendo {

std::span<Trial> Candidates::repetitions(Trials& trials, TrialId trial) const {
    const auto first = repeat_.first_of(repeat_.configuration_of(trial));
    return {&trials[first], static_cast<std::size_t>(repeat_.times)};
}

std::span<const Trial> Candidates::repetitions(const Trials& trials, TrialId trial) const {
    return repetitions(const_cast<Trials&>(trials), trial);
}

std::optional<TrialId> Candidates::best(const Trials& trials) const {
    return are_trials() ? trials.best() : best_repetition(trials, configurations_.best());
}

std::optional<TrialId> Candidates::best_ended(const Trials& trials) const {
    return are_trials() ? trials.best_ended() : best_repetition(trials, configurations_.best_ended());
}

/// The best of the repetitions that count for the configuration: those that reported and did not fail.
std::optional<TrialId> Candidates::best_repetition(const Trials& trials, std::optional<TrialId> configuration) const {
    const Trial* best = nullptr;
    if (configuration) {
        for (const auto& trial : repetitions(trials, repeat_.first_of(*configuration))) {
            if (trial.status != TrialStatus::failed && trial.loss && (best == nullptr || *trial.loss < *best->loss)) {
                best = &trial;
            }
        }
    }
    return best == nullptr ? std::nullopt : std::optional(best->id);
}

const Trial& Candidates::begin(const Trial& first) {
    Trial configuration;
    configuration.id = repeat_.configuration_of(first.id);
    configuration.config = first.config;
    configuration.origin = first.origin;
    configuration.is_proposed = first.is_proposed;
    return configurations_.add(std::move(configuration));
}

const Trial& Candidates::judge(const JudgedConfiguration& judged) {
    Trial& configuration = configurations_[judged.configuration];
    configuration.resource = judged.milestone;
    configuration.loss = judged.loss;
    return configuration;
}

const Trial& Candidates::propose(Trials& trials, TrialId trial, const Config& config, std::optional<Origin> origin) {
    const auto take = [&](Trial& each) {
        each.config = config;
        each.origin = origin.value_or(each.origin);
        each.is_proposed = true;
    };
    std::ranges::for_each(repetitions(trials, trial), take);
    if (!are_trials()) {
        take(configuration_of(trial));
    }
    return of(trials, trial);
}

const Trial* Candidates::retry(const Trial& trial) {
    if (are_trials()) {
        return &trial;
    }
    Trial& configuration = configuration_of(trial.id);
    if (configuration.status != TrialStatus::failed) {
        return nullptr;
    }
    configurations_.retry(configuration);
    return &configuration;
}

const Trial* Candidates::end(const Trials& trials, const Trial& trial) {
    if (are_trials()) {
        return &trial;
    }
    const auto siblings = repetitions(trials, trial.id);
    if (!std::ranges::all_of(siblings, &Trial::ended)) {
        return nullptr;
    }
    std::vector<double> losses;
    std::optional<StopReason> reason;  // of the first repetition that has not failed; `judged` if any has that reason
    for (const auto& each : siblings) {
        if (each.status == TrialStatus::failed) {
            continue;
        }
        reason = !reason || each.reason == StopReason::judged ? each.reason : reason;
        if (each.loss) {
            losses.push_back(*each.loss);
        }
    }
    Trial& configuration = configuration_of(trial.id);
    configuration.reason = reason.value_or(StopReason::failed);
    configurations_.transition(configuration, status_after(*configuration.reason));
    if (reason) {
        configuration.loss = losses.empty() ? std::nullopt : std::optional(judged_loss(repeat_.judge, losses));
    }
    return &configuration;
}

void Candidates::drop_obsolete(Trials& trials, const Trial& ended, std::vector<Action>& actions) {
    if (are_trials()) {
        if (const auto obsolete = trials.rank_ended(ended)) {
            actions.push_back(DropCheckpoint{*obsolete});
        }
        return;
    }
    const auto obsolete = configurations_.rank_ended(ended);
    const bool is_best = obsolete != ended.id;
    const auto kept = is_best ? best_repetition(trials, ended.id) : std::nullopt;
    for (const auto& trial : repetitions(trials, repeat_.first_of(ended.id))) {
        if (trial.status != TrialStatus::failed && trial.id != kept) {
            actions.push_back(DropCheckpoint{trial.id});
        }
    }
    if (const auto other = is_best ? best_repetition(trials, obsolete) : std::nullopt) {
        actions.push_back(DropCheckpoint{*other});
    }
}

}  // namespace crescendo
