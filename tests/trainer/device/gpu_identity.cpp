#include "trainer/device/gpu_identity.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/temporary_folder.hpp"

using namespace crescendo::trainer;

namespace {

const GpuIdentity first{.uuid = "uuid of a", .host = "node1 4f2e", .pci_address = "0000:3b:00.0"};

GpuIdentity changed(GpuIdentity gpu, std::string GpuIdentity::*field, std::string value) {
    gpu.*field = std::move(value);
    return gpu;
}

}  // namespace

TEST_CASE("slices of one GPU count as one GPU, and the same address on another host is a different GPU") {
    const auto other_slice = changed(first, &GpuIdentity::uuid, "uuid of b");
    const auto other_host = changed(other_slice, &GpuIdentity::host, "node2 77aa");
    const auto neighbour = changed(other_slice, &GpuIdentity::pci_address, "0000:86:00.0");

    CHECK(share_a_gpu({first, first}));
    CHECK(share_a_gpu({first, other_slice}));
    CHECK(share_a_gpu({other_host, neighbour, other_slice, first}));
    CHECK_FALSE(share_a_gpu({first, other_host}));
    CHECK_FALSE(share_a_gpu({first, neighbour}));
}

TEST_CASE("containers with different host names share a GPU if its UUID is the same") {
    CHECK(share_a_gpu({first, changed(first, &GpuIdentity::host, "container 4f2e")}));
}

TEST_CASE("an identity survives a round trip through text, whatever bytes its UUID contains") {
    const auto odd = changed(first, &GpuIdentity::uuid, std::string("\n\0\n\xff", 4));

    CHECK(read_gpu_identity(first.to_text()) == first);
    CHECK(read_gpu_identity(odd.to_text()) == odd);
}

TEST_CASE("a host is identified by its name and boot ID unless NCCL_HOSTID is set") {
    const crescendo::tests::TemporaryFolder root;
    std::filesystem::create_directories(root / "proc/sys/kernel/random");
    std::ofstream(root / "proc/sys/kernel/hostname") << "node1\n";
    std::ofstream(root / "proc/sys/kernel/random/boot_id") << "4f2e\n";
    const auto none = [](const char*) -> const char* { return nullptr; };
    const auto named = [](const char* name) { return std::string(name) == "NCCL_HOSTID" ? "mine" : nullptr; };

    CHECK(host_identity(none, root.path()) == "node1 4f2e");
    CHECK(host_identity(named, root.path()) == "mine");
}
