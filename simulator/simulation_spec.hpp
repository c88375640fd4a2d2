#pragma once

namespace crescendo::simulator {

/// `simulate:` of the sweep file: the cluster and the training that are pretended. docs/simulate.md has the formulas.
struct SimulationSpec {
    double epoch = 60;                ///< seconds that a unit of resource takes an average trial on one worker
    double spread = 0.2;              ///< trials take from epoch / (1 + spread) to epoch * (1 + spread)
    double serial = 0;                ///< share of an epoch that more workers do not shorten
    double loss_per_doubling = 0.05;  ///< of the speed, whenever the workers of a trial double
    double communication = 0;         ///< seconds an epoch more, whenever they double
    double straggler_share = 0;       ///< of the epochs
    double straggler_factor = 3;      ///< what such an epoch takes longer
    double failures = 0;              ///< of a worker, an hour
    double start = 2;                 ///< seconds until a trial that starts or resumes trains
    double regroup = 0.1;             ///< seconds until a group of another size trains
    double checkpoint = 0.5;          ///< seconds to write one (before the report of a milestone), and to read one
    double evaluation = 0;            ///< seconds at the end of the sweep
    double noise = 0.01;              ///< standard deviation of a report from its trial's curve
    int slots_per_node = 4;
};

/// Throws InvalidInput, with keys such as "simulate.spread", where a value means nothing.
void validate(const SimulationSpec& spec);

}  // namespace crescendo::simulator
