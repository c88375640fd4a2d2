#pragma once

#include <array>

namespace crescendo::simulator {

/// `simulate:` of the sweep file: the cluster and the training that are simulated. docs/simulate.md has the formulas.
struct SimulationSpec {
    double epoch = 60;                ///< seconds of one unit of resource, for an average trial on one worker
    double spread = 0.2;              ///< a trial's epoch takes from epoch / (1 + spread) to epoch * (1 + spread)
    double serial = 0;                ///< share of an epoch that more workers do not shorten
    double loss_per_doubling = 0.05;  ///< share of the speed that is lost when workers double
    double communication = 0;         ///< seconds added to an epoch each time the workers double
    double straggler_share = 0;       ///< share of the epochs that take longer
    double straggler_factor = 3;      ///< factor on the time of such an epoch
    double failures = 0;              ///< failures of one worker per hour
    double start = 2;                 ///< seconds until a trial that starts or is resumed begins to train
    double regroup = 0.1;             ///< seconds until a group that changed its size trains again
    double checkpoint = 0.5;  ///< seconds to write a checkpoint (before the report of a milestone), and to read one
    double evaluation = 0;    ///< seconds of the evaluation at the end of the sweep
    double noise = 0.01;      ///< standard deviation of a report from its trial's curve
    double samples = 60000;    ///< samples of an epoch
    double batch = 128;        ///< samples of a step before the batch grows
    double noise_scale = 0;    ///< gradient noise scale when a trial begins, in samples; 0: the batch does not matter
    double noise_growth = 1;   ///< factor by which the noise scale has grown at the maximum resource
    double step_noise = 0.03;  ///< largest relative error of the step times that trials report
    int slots_per_node = 4;
};

/// A number of `simulate:`, its key there, and its range.
struct SimulationNumber {
    const char* key;
    double SimulationSpec::*value;
    double min;
    double max;
};

/// All numbers of `simulate:`. Values in seconds may be up to 30 years.
inline constexpr auto simulation_numbers = std::to_array<SimulationNumber>({
    {"epoch", &SimulationSpec::epoch, 1e-6, 1e9},
    {"spread", &SimulationSpec::spread, 0, 100},
    {"serial", &SimulationSpec::serial, 0, 1},
    {"loss_per_doubling", &SimulationSpec::loss_per_doubling, 0, 0.99},
    {"communication", &SimulationSpec::communication, 0, 1e9},
    {"straggler_share", &SimulationSpec::straggler_share, 0, 1},
    {"straggler_factor", &SimulationSpec::straggler_factor, 1, 1e6},
    {"failures", &SimulationSpec::failures, 0, 1e6},
    {"start", &SimulationSpec::start, 0, 1e9},
    {"regroup", &SimulationSpec::regroup, 0, 1e9},
    {"checkpoint", &SimulationSpec::checkpoint, 0, 1e9},
    {"evaluation", &SimulationSpec::evaluation, 0, 1e9},
    {"noise", &SimulationSpec::noise, 0, 1},
    {"samples", &SimulationSpec::samples, 1, 1e15},
    {"batch", &SimulationSpec::batch, 1, 1e15},
    {"noise_scale", &SimulationSpec::noise_scale, 0, 1e15},
    {"noise_growth", &SimulationSpec::noise_growth, 1, 1e6},
    {"step_noise", &SimulationSpec::step_noise, 0, 0.9},
});

/// Throws InvalidInput, with keys such as "simulate.spread", if a value makes no sense.
void validate(const SimulationSpec& spec);

}  // namespace crescendo::simulator
