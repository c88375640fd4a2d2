#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launch/system/environment.hpp"

namespace crescendo::launch {

struct Gpu {
    std::string name;         ///< name in CUDA_VISIBLE_DEVICES: an index, or the beginning of a UUID
    std::optional<int> numa;  ///< its NUMA node, if the system reports it

    friend bool operator==(const Gpu&, const Gpu&) = default;
};

/// The GPUs that this process may use: those in CUDA_VISIBLE_DEVICES; or as many as AMD's ROCR_VISIBLE_DEVICES lists;
/// or those that the batch system allotted; or else all GPUs of NVIDIA's driver on this node. A variable that is set
/// but names no GPU ("", "NoDevFiles", "-1") means none. Calls no CUDA function: reads what the driver shows in /dev,
/// /proc and /sys below `root`.
std::vector<Gpu> find_gpus(const Variables& variables = ::getenv, const std::filesystem::path& root = "/");

/// Adds the variables that give a process only the GPU `name` of find_gpus(). By default, CUDA numbers the fastest GPU
/// 0, so this also makes it number by PCI address, as the driver's tools do, unless CUDA_DEVICE_ORDER is set in
/// `variables`.
void choose_gpu(const std::string& name, std::vector<std::pair<std::string, std::string>>& environment,
                const Variables& variables = ::getenv);

/// The value of the first line "key : value" in a system file, such as "Device Minor: \t 3" in
/// /proc/driver/nvidia/gpus/0000:3b:00.0/information; empty if there is none.
std::string value_in(const std::filesystem::path& file, const std::string& key);

}  // namespace crescendo::launch
