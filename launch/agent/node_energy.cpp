#include "launch/agent/node_energy.hpp"

#include <cstdlib>
#include <set>
#include <utility>

#include "core/files/host_name.hpp"
#include "launch/energy/nvml.hpp"
#include "launch/energy/powercap.hpp"

namespace crescendo::launch {
namespace {

/// Nothing instead of a meter that cannot be read.
std::unique_ptr<EnergyMeter> if_readable(std::unique_ptr<EnergyMeter> meter) {
    return meter && meter->joules() ? std::move(meter) : nullptr;
}

std::string variable_or(const char* variable, const char* otherwise) {
    const char* value = std::getenv(variable);
    return value != nullptr ? value : otherwise;
}

}  // namespace

NodeEnergy::NodeEnergy(std::unique_ptr<EnergyMeter> cpus, std::map<SlotId, std::unique_ptr<EnergyMeter>> gpus,
                       std::vector<std::unique_ptr<EnergyMeter>> shared_gpus)
    : cpus_(if_readable(std::move(cpus))) {
    for (auto& [slot, meter] : gpus) {
        if (auto readable = if_readable(std::move(meter))) {
            gpus_.emplace(slot, Gpu{std::move(readable)});
        }
    }
    for (auto& meter : shared_gpus) {
        if (auto readable = if_readable(std::move(meter))) {
            shared_gpus_.push_back(Gpu{std::move(readable)});
        }
    }
}

NodeEnergy NodeEnergy::of(const WorkerOptions& options) {
    std::map<SlotId, std::unique_ptr<EnergyMeter>> gpus;
    std::vector<std::unique_ptr<EnergyMeter>> shared_gpus;
    std::set<std::string> shared;
    std::shared_ptr<Nvml> nvml;
    for (std::size_t i = 0; i < options.slots.size(); ++i) {
        const auto& gpu = options.slots[i].gpu;
        const bool is_shared = options.slots[i].slots_on_gpu > 1;
        if (gpu.empty() || (is_shared && !shared.insert(gpu).second)) {
            continue;
        }
        nvml = nvml ? nvml : Nvml::load(variable_or("CRESCENDO_NVML", "libnvidia-ml.so.1"));
        auto meter = std::make_unique<GpuMeter>(nvml, gpu);
        if (is_shared) {
            shared_gpus.push_back(std::move(meter));
        } else {
            gpus.emplace(SlotId{options.first_slot.value + static_cast<int>(i)}, std::move(meter));
        }
    }
    return {std::make_unique<Powercap>(variable_or("CRESCENDO_POWERCAP", "/sys/class/powercap")), std::move(gpus),
            std::move(shared_gpus)};
}

void NodeEnergy::note_trial(SlotId slot, std::optional<TrialId> trial) {
    const auto found = gpus_.find(slot);
    if (found != gpus_.end() && found->second.trial != trial) {
        read(found->second);
        found->second.trial = trial;
    }
}

void NodeEnergy::read(Gpu& gpu) {
    const double now = gpu.meter->joules().value_or(gpu.last);
    (gpu.trial ? used_.trials[*gpu.trial] : used_.idle_gpus) += now - std::exchange(gpu.last, now);
}

EnergyUsed NodeEnergy::used(NodeId node) {
    for (auto& [slot, gpu] : gpus_) {
        read(gpu);
    }
    for (auto& gpu : shared_gpus_) {
        read(gpu);
    }
    used_.node = node;
    used_.host = host_name();
    used_.has_cpus = cpus_ != nullptr;
    used_.has_gpus = has_gpus();
    if (cpus_) {
        const double now = cpus_->joules().value_or(last_cpus_);
        used_.cpus = now - std::exchange(last_cpus_, now);
    }
    told_at_ = std::chrono::steady_clock::now();
    return std::exchange(used_, {});
}

}  // namespace crescendo::launch
