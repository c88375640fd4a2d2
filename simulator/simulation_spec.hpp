#pragma once

namespace crescendo::simulator {

/// `simulate:` of the sweep file: the cluster and the training that are simulated. docs/simulate.md has the formulas.
struct SimulationSpec {
    double epoch = 60;                ///< seconds of one unit of resource, for an average trial on one worker
    double spread = 0.2;              ///< a trial's epoch takes from epoch / (1 + spread) to epoch * (1 + spread)
    double serial = 0;                ///< share of an epoch that more workers do not shorten
    double loss_per_doubling = 0.05;  ///< share of the speed that is lost when workers double
    double communication = 0;         ///< seconds added to an epoch each time the workers double
    double straggler_share = 0;       ///< share of the epochs that take longer
    double straggler_factor = 3;      ///< how many times as long such an epoch takes
    double failures = 0;              ///< failures of one worker in an hour
    double start = 2;                 ///< seconds until a trial that starts or is resumed begins to train
    double regroup = 0.1;             ///< seconds until a group that changed its size trains again
    double checkpoint = 0.5;  ///< seconds to write a checkpoint (before the report of a milestone), and to read one
    double evaluation = 0;    ///< seconds of the evaluation at the end of the sweep
    double noise = 0.01;      ///< standard deviation of a report from its trial's curve
    double samples = 60000;    ///< samples of an epoch
    double batch = 128;        ///< samples of a step before the batch grows
    double noise_scale = 0;    ///< gradient noise scale of trials that begin, in samples; 0: the batch does not matter
    double noise_growth = 1;   ///< how many times as large it is once a trial has trained the maximum resource
    double step_noise = 0.03;  ///< most relative error of the step times that trials report
    int slots_per_node = 4;
};

/// Throws InvalidInput, with keys such as "simulate.spread", if a value makes no sense.
void validate(const SimulationSpec& spec);

}  // namespace crescendo::simulator
