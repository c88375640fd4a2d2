#include "simulator/simulation_spec.hpp"

#include <string>

#include "core/check.hpp"

namespace crescendo::simulator {
namespace {

void check_range(double value, const char* name, double min, double max) {
    CRESCENDO_VALIDATE(value >= min && value <= max, std::string("simulate.") + name,
                       "{} is {}; use a number from {} to {}", name, value, min, max);
}

}  // namespace

void validate(const SimulationSpec& spec) {
    constexpr double longest = 1e9;  // seconds: 30 years
    check_range(spec.epoch, "epoch", 1e-6, longest);
    check_range(spec.spread, "spread", 0, 100);
    check_range(spec.serial, "serial", 0, 1);
    check_range(spec.loss_per_doubling, "loss_per_doubling", 0, 0.99);
    check_range(spec.communication, "communication", 0, longest);
    check_range(spec.straggler_share, "straggler_share", 0, 1);
    check_range(spec.straggler_factor, "straggler_factor", 1, 1e6);
    check_range(spec.failures, "failures", 0, 1e6);
    check_range(spec.start, "start", 0, longest);
    check_range(spec.regroup, "regroup", 0, longest);
    check_range(spec.checkpoint, "checkpoint", 0, longest);
    check_range(spec.evaluation, "evaluation", 0, longest);
    check_range(spec.noise, "noise", 0, 1);
    check_range(spec.samples, "samples", 1, 1e15);
    check_range(spec.batch, "batch", 1, 1e15);
    check_range(spec.noise_scale, "noise_scale", 0, 1e15);
    check_range(spec.noise_growth, "noise_growth", 1, 1e6);
    check_range(spec.step_noise, "step_noise", 0, 0.9);
    check_range(spec.slots_per_node, "slots_per_node", 1, 1e6);
}

}  // namespace crescendo::simulator
