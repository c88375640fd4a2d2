#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "launch/energy/energy_meter.hpp"

namespace crescendo::launch {

/// NVIDIA's management library (NVML), loaded at run time if it is installed: Crescendo builds and runs without it.
class Nvml {
  public:
    /// Loads a library such as "libnvidia-ml.so.1". Null if it is not installed, or finds no driver.
    static std::shared_ptr<Nvml> load(const std::string& library);
    ~Nvml();
    Nvml(Nvml&&) = delete;
    Nvml& operator=(Nvml&&) = delete;

    using Device = void*;

    /// The GPU that CUDA_VISIBLE_DEVICES calls `gpu`, an index or a UUID. Null if the library does not know it.
    Device find(const std::string& gpu) const;

    /// Millijoules since the driver was loaded; nothing on GPUs that do not count them (before Volta).
    std::optional<std::uint64_t> millijoules(Device device) const;

  private:
    Nvml() = default;

    void* library_ = nullptr;
    int (*shutdown_)() = nullptr;
    int (*find_by_index_)(unsigned, Device*) = nullptr;
    int (*find_by_uuid_)(const char*, Device*) = nullptr;
    int (*total_energy_)(Device, unsigned long long*) = nullptr;
};

/// Measures the energy of one GPU.
class GpuMeter final : public EnergyMeter {
  public:
    /// If `nvml` is null, joules() returns nothing.
    GpuMeter(std::shared_ptr<Nvml> nvml, const std::string& gpu);

    std::optional<double> joules() override;

  private:
    std::optional<std::uint64_t> count() const { return device_ ? nvml_->millijoules(device_) : std::nullopt; }

    std::shared_ptr<Nvml> nvml_;
    Nvml::Device device_;
    std::optional<std::uint64_t> first_;
};

}  // namespace crescendo::launch
