#pragma once

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace crescendo::trainer {

/// The GPU of a member of a group.
struct GpuIdentity {
    std::string uuid;         ///< as CUDA says it: raw bytes; slices of one GPU (MIG) have their own
    std::string host;         ///< host_identity()
    std::string pci_address;  ///< of the whole GPU: 0000:3b:00.0

    /// For a store; read_gpu_identity() is the inverse.
    std::string to_text() const;

    friend bool operator==(const GpuIdentity&, const GpuIdentity&) = default;
};

/// Takes what to_text() wrote.
GpuIdentity read_gpu_identity(const std::string& text);

/// What NCCL tells hosts apart by: NCCL_HOSTID, or else the host's name and the id of its boot.
std::string host_identity(const std::function<const char*(const char*)>& variables = ::getenv,
                          const std::filesystem::path& root = "/");

/// Whether two members compute on one GPU. NCCL refuses that, and it compares host and PCI address: two slices of one
/// GPU are one GPU to it.
bool share_a_gpu(const std::vector<GpuIdentity>& members);

}  // namespace crescendo::trainer
