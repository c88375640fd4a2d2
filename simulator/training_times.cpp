#include "simulator/training_times.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check.hpp"
#include "core/draws.hpp"

namespace crescendo::simulator {
namespace {

template <class Key>
double value_or(const std::map<Key, double>& values, Key key, double otherwise) {
    const auto value = values.find(key);
    return value == values.end() ? otherwise : value->second;
}

}  // namespace

double speedup(int workers, double loss_per_doubling) {
    return workers == 1 ? 1.0 : workers * std::pow(1.0 - loss_per_doubling, std::log2(workers));
}

const RecordedEpochs* RecordedTimes::find(Resource resource) const {
    const auto found = std::ranges::lower_bound(epochs, resource, {}, &RecordedEpochs::end);
    return found == epochs.end() ? nullptr : &*found;
}

double RecordedTimes::alone(Resource resource, int workers) const {
    const auto* recorded = find(resource);
    if (recorded != nullptr && std::ranges::find(recorded->workers, workers) != recorded->workers.end()) {
        return recorded->alone;
    }
    return value_or(epoch_with, workers, recorded != nullptr ? recorded->alone : epoch);
}

TrainingTimes::TrainingTimes(const SimulationSpec& spec, std::uint64_t seed) : spec_(spec), seed_(seed) {}

TrainingTimes::TrainingTimes(const SimulationSpec& spec, std::uint64_t seed, std::vector<RecordedTimes> recorded)
    : spec_(spec), seed_(seed), recorded_(std::move(recorded)) {
    CRESCENDO_EXPECT(!recorded_.empty());
}

double TrainingTimes::epoch(TrialId trial, Resource resource, int workers) const {
    const double shared = (1.0 - spec_.serial) / speedup(workers, spec_.loss_per_doubling);
    const double seconds =
        alone(trial, resource, workers) * (spec_.serial + shared) + spec_.communication * std::log2(workers);
    const bool straggles = spec_.straggler_share > 0 &&
                           draws(seed_, Purpose::straggling, trial, resource.value).uniform() < spec_.straggler_share;
    return straggles ? seconds * spec_.straggler_factor : seconds;
}

double TrainingTimes::start(TrialId trial, Resource resource) const {
    if (recorded_.empty()) {
        return spec_.start;
    }
    const auto* epochs = recorded(trial).find(resource);
    return epochs == nullptr ? spec_.start : value_or(recorded(trial).starts, epochs->end, spec_.start);
}

const RecordedRegroup* TrainingTimes::regroup(TrialId trial, int generation) const {
    if (recorded_.empty()) {
        return nullptr;
    }
    const auto& regroups = recorded(trial).regroups;
    const auto found = regroups.find(generation);
    return found == regroups.end() ? nullptr : &found->second;
}

std::optional<RecordedStart> TrainingTimes::first_steps(TrialId trial, int generation,
                                                        const RecordedStart& simulated) const {
    if (recorded_.empty() || !recorded(trial).first_steps) {
        return simulated;
    }
    const auto& told = *recorded(trial).first_steps;
    const auto found = told.find(generation);
    return found == told.end() ? std::nullopt : std::optional(found->second);
}

const RecordedEpochs* TrainingTimes::reported(TrialId trial, Resource resource, int workers) const {
    const auto* epochs = recorded_.empty() ? nullptr : recorded(trial).find(resource);
    const bool is_same =
        epochs != nullptr && epochs->end == resource && !epochs->workers.empty() && epochs->workers.back() == workers;
    return is_same ? epochs : nullptr;
}

const RecordedTimes& TrainingTimes::recorded(TrialId trial) const {
    return recorded_[static_cast<std::size_t>(trial.value) % recorded_.size()];
}

double TrainingTimes::alone(TrialId trial, Resource resource, int workers) const {
    if (!recorded_.empty()) {
        return recorded(trial).alone(resource, workers);
    }
    return spec_.epoch *
           std::pow(1.0 + spec_.spread, 2.0 * draws(seed_, Purpose::speed, trial, /*step=*/0).uniform() - 1.0);
}

}  // namespace crescendo::simulator
