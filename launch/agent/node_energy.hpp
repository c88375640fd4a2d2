#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "launch/agent/worker_options.hpp"
#include "launch/energy/energy_meter.hpp"

namespace crescendo::launch {

/// What a node's processors and GPUs take, and which trials the GPUs worked for.
///
/// Only what is measured is told. Processors belong to the whole node, so no trial has a share of them. A GPU belongs
/// to the trial of its slot; one that several slots share, to none.
class NodeEnergy {
  public:
    struct Gpu {
        std::unique_ptr<EnergyMeter> meter;
        std::optional<SlotId> slot{};  ///< none: several share it
        std::optional<TrialId> trial{};
        double last = 0;
    };

    /// Null meters cannot be read.
    NodeEnergy(std::unique_ptr<EnergyMeter> cpus, std::vector<Gpu> gpus);

    /// The meters of this node, and those of its slots' GPUs. The variables CRESCENDO_POWERCAP and CRESCENDO_NVML
    /// replace the system's folder and NVIDIA's library.
    static NodeEnergy of(const WorkerOptions& options);

    /// The trial that the slot's worker has from now on. Only a change costs anything.
    void note_trial(SlotId slot, std::optional<TrialId> trial);

    /// Whether a minute has passed since used() was called.
    bool is_due() const { return has_meters() && std::chrono::steady_clock::now() - told_at_ >= period; }

    bool has_meters() const { return cpus_ || !gpus_.empty(); }

    /// What was used since the last call.
    EnergyUsed used(NodeId node);

  private:
    static constexpr std::chrono::minutes period{1};

    void read(Gpu& gpu);

    std::unique_ptr<EnergyMeter> cpus_;
    std::vector<Gpu> gpus_;  ///< those that can be read
    double last_cpus_ = 0;
    EnergyUsed used_;
    std::chrono::steady_clock::time_point told_at_ = std::chrono::steady_clock::now();
};

}  // namespace crescendo::launch
