#include "scheduler/schedulers/repeated_asha.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "scheduler/loss.hpp"

namespace crescendo {

int RepeatedAsha::begin(TrialId trial) {
    const auto id = repeat_.configuration_of(trial);
    const auto index = static_cast<std::size_t>(id.value);
    if (index == configurations_.size()) {
        configurations_.push_back(
            {asha_.begin(id), std::vector<Repetition>(static_cast<std::size_t>(repeat_.times))});
    }
    return configurations_[index].bracket;
}

Judgement RepeatedAsha::report(const Trial& trial) {
    auto& configuration = configuration_of(trial);
    auto& own = repetition_of(trial);
    int rungs_survived = trial.rungs_survived;
    while (next_milestone(trial.bracket, rungs_survived) <= trial.resource) {
        if (rungs_survived < configuration.rungs_survived) {
            ++rungs_survived;  // that rung was decided without this repetition
            continue;
        }
        own = {State::arrived, *trial.loss};
        settle(repeat_.configuration_of(trial.id));
        if (asha_.is_top(trial.bracket, rungs_survived)) {
            return {Verdict::complete, rungs_survived};
        }
        if (own.state == State::arrived && !configuration.is_over) {
            return {Verdict::pause, rungs_survived};
        }
        if (promotions_.erase(promotion_of(configuration, trial.id)) == 0) {
            std::erase(eliminated_, trial.id);
            return {Verdict::stop, rungs_survived};
        }
        ++rungs_survived;
    }
    return {Verdict::go_on, rungs_survived};
}

void RepeatedAsha::fail(const Trial& trial) {
    leave(trial, State::failed);
    auto& configuration = configuration_of(trial);
    configuration.has_failed = std::ranges::all_of(
        configuration.repetitions, [](const Repetition& each) { return each.state == State::failed; });
    if (configuration.has_failed) {
        asha_.fail(as_trial(repeat_.configuration_of(trial.id), configuration, worst_loss, trial.resource));
    }
}

bool RepeatedAsha::can_retry(const Trial& trial) const {
    const auto id = repeat_.configuration_of(trial.id);
    const auto& configuration = configurations_[static_cast<std::size_t>(id.value)];
    return !configuration.is_over || configuration.has_failed;
}

void RepeatedAsha::retry(const Trial& trial) {
    auto& configuration = configuration_of(trial);
    if (std::exchange(configuration.has_failed, false)) {
        asha_.retry(as_trial(repeat_.configuration_of(trial.id), configuration, worst_loss, trial.resource));
        configuration.is_over = false;
    }
    repetition_of(trial) = {};
}

void RepeatedAsha::finish(const Trial& trial) { leave(trial, State::complete); }

/// Works for a repetition that waits for its siblings, was to be promoted, or was just eliminated because a sibling was
/// withdrawn.
void RepeatedAsha::withdraw(const Trial& trial) {
    std::erase(eliminated_, trial.id);
    promotions_.erase(promotion_of(configuration_of(trial), trial.id));
    leave(trial, State::complete);
}

std::optional<TrialId> RepeatedAsha::promotable() const {
    return promotions_.empty() ? std::nullopt : std::optional(promotions_.begin()->second.trial);
}

void RepeatedAsha::promote() {
    CRESCENDO_EXPECT(!promotions_.empty());
    promotions_.erase(promotions_.begin());
}

/// Failed trials can still be retried.
void RepeatedAsha::end_all() {
    for (auto& configuration : configurations_) {
        configuration.is_over = true;
    }
    promotions_.clear();
    eliminated_.clear();
}

RepeatedAsha::Configuration& RepeatedAsha::configuration_of(const Trial& trial) {
    return configurations_[static_cast<std::size_t>(repeat_.configuration_of(trial.id).value)];
}

RepeatedAsha::Repetition& RepeatedAsha::repetition_of(const Trial& trial) {
    return configuration_of(trial).repetitions[static_cast<std::size_t>(repeat_.repetition_of(trial.id))];
}

Trial RepeatedAsha::as_trial(TrialId id, const Configuration& configuration, double loss, Resource resource) {
    Trial trial;
    trial.id = id;
    trial.bracket = configuration.bracket;
    trial.rungs_survived = configuration.rungs_survived;
    trial.resource = resource;
    trial.loss = loss;
    return trial;
}

void RepeatedAsha::leave(const Trial& trial, State state) {
    repetition_of(trial) = {state, state == State::failed ? std::nullopt : trial.loss};
    settle(repeat_.configuration_of(trial.id));
}

/// Judges the configuration at its next rung, unless one of its repetitions is still training to it.
void RepeatedAsha::settle(TrialId id) {
    auto& configuration = configurations_[static_cast<std::size_t>(id.value)];
    auto& repetitions = configuration.repetitions;
    const auto is = [](State state) { return [state](const Repetition& each) { return each.state == state; }; };
    if (std::ranges::any_of(repetitions, is(State::training))) {
        return;
    }
    if (std::ranges::none_of(repetitions, is(State::arrived))) {
        configuration.is_over = true;
        return;
    }
    std::vector<double> losses;
    for (const auto& each : repetitions) {
        if (each.loss) {
            losses.push_back(*each.loss);
        }
    }
    configuration.loss = judged_loss(repeat_.judge, losses);
    const auto milestone = next_milestone(configuration.bracket, configuration.rungs_survived);
    judged_.push_back({id, milestone, configuration.loss});
    const auto [verdict, rungs_survived] = asha_.report(as_trial(id, configuration, configuration.loss, milestone));
    configuration.rungs_survived = rungs_survived;
    configuration.is_over = verdict != Verdict::go_on;
    for (int i = 0; i < repeat_.times; ++i) {
        auto& repetition = repetitions[static_cast<std::size_t>(i)];
        const TrialId trial{repeat_.first_of(id).value + i};
        if (repetition.state == State::arrived && verdict == Verdict::go_on) {
            repetition = {};
            promotions_.insert(promotion_of(configuration, trial));
        } else if (repetition.state == State::arrived && verdict == Verdict::stop) {
            eliminated_.push_back(trial);
        }
    }
}

}  // namespace crescendo
