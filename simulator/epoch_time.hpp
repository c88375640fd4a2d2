#pragma once

#include <cstdint>
#include <vector>

#include "core/ids.hpp"
#include "simulator/simulation_spec.hpp"

namespace crescendo::simulator {

/// How many times faster than one worker a group of `workers` gets its epochs done: doubling a group multiplies its
/// speed by 2 * (1 - loss_per_doubling).
double speedup(int workers, double loss_per_doubling);

/// How long trials take for their epochs.
///
/// An epoch of W workers takes t * (serial + (1 - serial) / speedup(W)) + communication * log2(W), where t is what the
/// trial takes on one worker; a straggling one takes straggler_factor times as long.
class EpochTime {
  public:
    /// The trials' t are drawn: log-uniform around spec.epoch.
    EpochTime(const SimulationSpec& spec, std::uint64_t seed);

    /// They were measured: recorded[i] seconds for trial i, and around again for more trials. Not empty.
    EpochTime(const SimulationSpec& spec, std::uint64_t seed, std::vector<double> recorded);

    /// Of the epoch at whose end the trial has consumed `resource`.
    double seconds(TrialId trial, Resource resource, int workers) const;

  private:
    double alone(TrialId trial) const;

    SimulationSpec spec_;
    std::uint64_t seed_;
    std::vector<double> recorded_;
};

}  // namespace crescendo::simulator
