#include "trainer/device/gpu_identity.hpp"

#include <fstream>
#include <set>
#include <utility>

namespace crescendo::trainer {

namespace {

std::string first_line(const std::filesystem::path& file) {
    std::string line;
    std::ifstream content(file);
    std::getline(content, line);
    return line;
}

}  // namespace

std::string GpuIdentity::to_text() const { return pci_address + '\n' + host + '\n' + uuid; }

GpuIdentity read_gpu_identity(const std::string& text) {
    const auto host = text.find('\n') + 1;
    const auto uuid = text.find('\n', host) + 1;
    return {
        .uuid = text.substr(uuid), .host = text.substr(host, uuid - 1 - host), .pci_address = text.substr(0, host - 1)};
}

std::string host_identity(const std::function<const char*(const char*)>& variables, const std::filesystem::path& root) {
    if (const char* id = variables("NCCL_HOSTID"); id != nullptr && *id != '\0') {
        return id;
    }
    const auto kernel = root / "proc/sys/kernel";
    return first_line(kernel / "hostname") + ' ' + first_line(kernel / "random/boot_id");
}

bool share_a_gpu(const std::vector<GpuIdentity>& members) {
    std::set<std::string> uuids;
    std::set<std::pair<std::string, std::string>> places;
    for (const auto& gpu : members) {
        uuids.insert(gpu.uuid);
        places.emplace(gpu.host, gpu.pci_address);
    }
    return uuids.size() < members.size() || places.size() < members.size();
}

}  // namespace crescendo::trainer
