/// A fake of NVIDIA's library with the functions that Crescendo calls. It has two GPUs: GPU 0 has used the
/// millijoules in the file FAKE_NVML_ENERGY, and GPU 1 does not measure its energy.

#include <cstdlib>
#include <cstring>
#include <fstream>

namespace {

int gpus[2];
constexpr int success = 0;
constexpr int not_supported = 3;
constexpr int not_found = 6;

}  // namespace

extern "C" {

int nvmlInit_v2() { return std::getenv("FAKE_NVML_ENERGY") != nullptr ? success : not_found; }
int nvmlShutdown() { return success; }

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
    if (index > 1) {
        return not_found;
    }
    *device = &gpus[index];
    return success;
}

int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
    if (std::strcmp(uuid, "GPU-fake-0") != 0) {
        return not_found;
    }
    *device = &gpus[0];
    return success;
}

int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
    if (device != &gpus[0]) {
        return not_supported;
    }
    return std::ifstream(std::getenv("FAKE_NVML_ENERGY")) >> *millijoules ? success : not_found;
}
}
