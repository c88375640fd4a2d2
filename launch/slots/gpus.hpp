#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launch/system/environment.hpp"

namespace crescendo::launch {

struct Gpu {
    std::string name;         ///< as CUDA_VISIBLE_DEVICES names it: an index, or the beginning of a UUID
    std::optional<int> numa;  ///< its NUMA node, if the system reports it

    friend bool operator==(const Gpu&, const Gpu&) = default;
};

/// The GPUs that this process may use: those that CUDA_VISIBLE_DEVICES names, or as many as AMD's ROCR_VISIBLE_DEVICES
/// leaves, or those that the batch system gave it, or else all GPUs of NVIDIA's driver on this node. A variable that is
/// set and names none ("", "NoDevFiles", "-1") means none. Calls no CUDA function: it reads what the driver shows in
/// `root`'s /dev, /proc and /sys.
std::vector<Gpu> find_gpus(const Variables& variables = ::getenv, const std::filesystem::path& root = "/");

/// Adds the variables that leave a process the GPU `name` of find_gpus(). CUDA would count the fastest GPU as number 0,
/// so it is told to count by PCI addresses, as the driver's tools do, unless CUDA_DEVICE_ORDER is set in `variables`.
void choose_gpu(const std::string& name, std::vector<std::pair<std::string, std::string>>& environment,
                const Variables& variables = ::getenv);

}  // namespace crescendo::launch
