#pragma once

#include <cstdint>
#include <vector>

#include "core/ids.hpp"
#include "simulator/simulation_spec.hpp"

namespace crescendo::simulator {

/// How many times faster than one worker a group of `workers` trains. Doubling a group multiplies its speed by
/// 2 * (1 - loss_per_doubling).
double speedup(int workers, double loss_per_doubling);

/// How long the epochs of trials take.
///
/// An epoch of W workers takes t * (serial + (1 - serial) / speedup(W)) + communication * log2(W), where t is the
/// trial's time on one worker. A straggling epoch takes straggler_factor times as long.
class EpochTime {
  public:
    /// Draws each trial's time t on one worker, log-uniform around spec.epoch.
    EpochTime(const SimulationSpec& spec, std::uint64_t seed);

    /// Uses measured times: recorded[i] seconds for trial i. Trials beyond the recorded ones begin again with
    /// recorded[0]. `recorded` is not empty.
    EpochTime(const SimulationSpec& spec, std::uint64_t seed, std::vector<double> recorded);

    /// Time in seconds of the epoch at whose end the trial has consumed `resource`.
    double seconds(TrialId trial, Resource resource, int workers) const;

  private:
    double alone(TrialId trial) const;

    SimulationSpec spec_;
    std::uint64_t seed_;
    std::vector<double> recorded_;
};

}  // namespace crescendo::simulator
