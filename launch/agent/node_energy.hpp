#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "launch/agent/worker_options.hpp"
#include "launch/energy/energy_meter.hpp"

namespace crescendo::launch {

/// Energy used by a node's processors and GPUs, and the trials that the GPUs worked for.
///
/// Reports only what is measured. Processors belong to the whole node, so no trial has a share of them. A GPU belongs
/// to the trial of its slot; a GPU that several slots share belongs to no trial.
class NodeEnergy {
  public:
    struct Gpu {
        std::unique_ptr<EnergyMeter> meter;
        std::optional<SlotId> slot{};  ///< none: several slots share the GPU
        std::optional<TrialId> trial{};
        double last = 0;
    };

    /// A null meter means that this device cannot be read.
    NodeEnergy(std::unique_ptr<EnergyMeter> cpus, std::vector<Gpu> gpus);

    /// The meters of this node, and those of its slots' GPUs. The variables CRESCENDO_POWERCAP and CRESCENDO_NVML
    /// replace the system's folder and NVIDIA's library.
    static NodeEnergy of(const WorkerOptions& options);

    /// Sets the trial of the slot's worker from now on. Cheap unless the trial changes.
    void note_trial(SlotId slot, std::optional<TrialId> trial);

    /// Whether a minute has passed since used() was last called.
    bool is_due() const { return has_meters() && std::chrono::steady_clock::now() - told_at_ >= period; }

    bool has_meters() const { return cpus_ || !gpus_.empty(); }

    /// The energy used since the last call.
    EnergyUsed used(NodeId node);

  private:
    static constexpr std::chrono::minutes period{1};

    void read(Gpu& gpu);

    std::unique_ptr<EnergyMeter> cpus_;
    std::vector<Gpu> gpus_;  ///< the GPUs whose meters can be read
    double last_cpus_ = 0;
    EnergyUsed used_;
    std::chrono::steady_clock::time_point told_at_ = std::chrono::steady_clock::now();
};

}  // namespace crescendo::launch
