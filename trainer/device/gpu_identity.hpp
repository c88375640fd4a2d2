#pragma once

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace crescendo::trainer {

/// Identifies the GPU of a group's member.
struct GpuIdentity {
    std::string uuid;         ///< as CUDA reports it: raw bytes; MIG slices of one GPU have their own
    std::string host;         ///< host_identity()
    std::string pci_address;  ///< of the whole GPU: 0000:3b:00.0

    /// Serializes the identity for a store; read_gpu_identity() is the inverse.
    std::string to_text() const;

    friend bool operator==(const GpuIdentity&, const GpuIdentity&) = default;
};

/// Parses what GpuIdentity::to_text() wrote.
GpuIdentity read_gpu_identity(const std::string& text);

/// The text by which NCCL distinguishes hosts: NCCL_HOSTID, or else the host's name and boot id.
std::string host_identity(const std::function<const char*(const char*)>& variables = ::getenv,
                          const std::filesystem::path& root = "/");

/// Whether two members compute on one GPU, which NCCL refuses. NCCL compares host and PCI address, so it takes two MIG
/// slices of one GPU for the same GPU.
bool share_a_gpu(const std::vector<GpuIdentity>& members);

}  // namespace crescendo::trainer
