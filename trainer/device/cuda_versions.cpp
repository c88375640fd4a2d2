#include "trainer/device/cuda_versions.hpp"

#include "core/check.hpp"

namespace crescendo::trainer {

namespace {

std::string version(int number) { return text("{}.{}", number / 1000, number % 1000 / 10); }

}  // namespace

std::string why_no_gpu(int driver, int runtime) {
    const std::string problem = "CRESCENDO_DEVICE is cuda, but CUDA finds no GPU here";
    if (driver == 0) {
        return problem + ": there is no NVIDIA driver; check nvidia-smi, or use slots of CPU cores";
    }
    if (driver / 1000 < runtime / 1000) {  // newer minor versions run on older drivers
        return text(
            "{}: the driver supports CUDA up to {}, but this LibTorch is for CUDA {}; use a newer driver, or build "
            "with a torch wheel for CUDA {}",
            problem, version(driver), version(runtime), driver / 1000);
    }
    return problem + "; check nvidia-smi and CUDA_VISIBLE_DEVICES, or use slots of CPU cores";
}

}  // namespace crescendo::trainer
