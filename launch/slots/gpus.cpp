#include "launch/slots/gpus.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <sstream>

#include "core/files/paths_in.hpp"
#include "core/mapped.hpp"
#include "core/number_from.hpp"
#include "launch/batch/batch_system.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

bool is_number(const std::string& text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); });
}

/// The names in the list, up to the first invalid one, which is where CUDA stops too.
std::vector<std::string> names_in(const std::string& list) {
    std::vector<std::string> result;
    std::istringstream items(list);
    for (std::string item; std::getline(items >> std::ws, item, ',');) {
        if (!is_number(item) && !item.starts_with("GPU-") && !item.starts_with("MIG-")) {
            break;
        }
        result.push_back(item);
    }
    return result;
}

/// What the driver shows about a GPU.
struct Device {
    std::string uuid;
    std::optional<int> numa;
};

std::optional<int> numa_of(const std::string& pci_address, const fs::path& root) {
    int numa = -1;
    std::ifstream(root / "sys/bus/pci/devices" / pci_address / "numa_node") >> numa;
    return numa >= 0 ? std::optional(numa) : std::nullopt;  // -1 means unknown
}

/// Whether we may open a device file. A container has only some of them; a job's cgroup hides none, but denies some.
bool is_open_to_us(const fs::path& file) { return ::access(file.c_str(), R_OK | W_OK) == 0; }

/// The GPUs whose device files we may open, in the order of their PCI addresses, which is the order of their numbers.
/// Without /proc/driver, only counts the device files.
std::vector<Device> devices_here(const fs::path& root) {
    std::map<std::string, Device> by_address;
    for (const auto& gpu : paths_in(root / "proc/driver/nvidia/gpus")) {
        const auto information = gpu / "information";
        const auto minor = value_in(information, "Device Minor");
        if (!minor.empty() && is_open_to_us(root / "dev" / ("nvidia" + minor))) {
            const auto address = gpu.filename().string();
            by_address[address] = {value_in(information, "GPU UUID"), numa_of(address, root)};
        }
    }
    auto result = mapped(by_address, [](const auto& each) { return each.second; });
    if (result.empty()) {
        for (const auto& file : paths_in(root / "dev")) {
            const auto name = file.filename().string();
            if (name.starts_with("nvidia") && is_number(name.substr(6)) && is_open_to_us(file)) {
                result.emplace_back();
            }
        }
    }
    return result;
}

/// The GPUs that HIP counts: ROCr shows it only this list of AMD's GPUs, and renumbers them.
std::vector<Gpu> gpus_of_rocr(const std::string& list) {
    std::vector<Gpu> gpus(names_in(list).size());
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        gpus[i].name = std::to_string(i);
    }
    return gpus;
}

std::optional<int> numa_of_named(const std::string& name, const std::vector<Device>& devices) {
    if (is_number(name)) {
        const auto index = number_from<std::size_t>(name);
        return index && *index < devices.size() ? devices[*index].numa : std::nullopt;
    }
    const auto device = std::ranges::find_if(devices, [&](const Device& d) { return d.uuid.starts_with(name); });
    return device != devices.end() ? device->numa : std::nullopt;
}

}  // namespace

std::vector<Gpu> find_gpus(const Variables& variables, const fs::path& root) {
    const char* visible = variables("CUDA_VISIBLE_DEVICES");
    if (const char* list = variables("ROCR_VISIBLE_DEVICES"); list != nullptr && visible == nullptr) {
        return gpus_of_rocr(list);
    }
    const auto devices = devices_here(root);
    if (const auto list = visible != nullptr ? std::optional<std::string>(visible) : batch_system(variables)->gpus()) {
        return mapped(names_in(*list), [&](const auto& each) { return Gpu{each, numa_of_named(each, devices)}; });
    }
    std::vector<Gpu> gpus;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        gpus.push_back({std::to_string(i), devices[i].numa});
    }
    return gpus;
}

void choose_gpu(const std::string& name, std::vector<std::pair<std::string, std::string>>& environment,
                const Variables& variables) {
    environment.emplace_back("CUDA_VISIBLE_DEVICES", name);
    if (variables("CUDA_DEVICE_ORDER") == nullptr) {
        environment.emplace_back("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
    }
}

std::string value_in(const fs::path& file, const std::string& key) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        const auto value = line.find_first_not_of(" \t", line.find(':') + 1);
        if (line.starts_with(key) && value != std::string::npos) {
            return line.substr(value);
        }
    }
    return {};
}

}  // namespace crescendo::launch
