#include "launch/energy/nvml.hpp"

#include <dlfcn.h>

#include <utility>

#include "core/number_from.hpp"

namespace crescendo::launch {
namespace {

constexpr int success = 0;  // NVML_SUCCESS

/// Looks up a function. Returns whether it exists.
template <class Function>
bool look_up(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(::dlsym(library, name));
    return function != nullptr;
}

}  // namespace

std::shared_ptr<Nvml> Nvml::load(const std::string& library) {
    std::shared_ptr<Nvml> nvml(new Nvml);
    nvml->library_ = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    if (nvml->library_ == nullptr || !look_up(nvml->library_, "nvmlInit_v2", init) ||
        !look_up(nvml->library_, "nvmlShutdown", shutdown) ||
        !look_up(nvml->library_, "nvmlDeviceGetHandleByIndex_v2", nvml->find_by_index_) ||
        !look_up(nvml->library_, "nvmlDeviceGetHandleByUUID", nvml->find_by_uuid_) ||
        !look_up(nvml->library_, "nvmlDeviceGetTotalEnergyConsumption", nvml->total_energy_) || init() != success) {
        return nullptr;
    }
    nvml->shutdown_ = shutdown;
    return nvml;
}

Nvml::~Nvml() {
    if (shutdown_ != nullptr) {
        shutdown_();
    }
    if (library_ != nullptr) {
        ::dlclose(library_);
    }
}

Nvml::Device Nvml::find(const std::string& gpu) const {
    Device device = nullptr;
    const auto index = number_from<unsigned>(gpu);
    const int result = index ? find_by_index_(*index, &device) : find_by_uuid_(gpu.c_str(), &device);
    return result == success ? device : nullptr;
}

std::optional<std::uint64_t> Nvml::millijoules(Device device) const {
    unsigned long long millijoules = 0;
    return total_energy_(device, &millijoules) == success ? std::optional<std::uint64_t>(millijoules) : std::nullopt;
}

GpuMeter::GpuMeter(std::shared_ptr<Nvml> nvml, const std::string& gpu)
    : nvml_(std::move(nvml)), device_(nvml_ ? nvml_->find(gpu) : nullptr), first_(count()) {}

std::optional<double> GpuMeter::joules() {
    const auto now = count();
    return now && first_ && *now >= *first_ ? std::optional(static_cast<double>(*now - *first_) * 1e-3) : std::nullopt;
}

}  // namespace crescendo::launch
