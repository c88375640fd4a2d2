#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>

#include "core/check.hpp"
#include "trainer/device/cuda_environment.hpp"
#include "trainer/device/device.hpp"

namespace crescendo::trainer {

std::unique_ptr<Device> load_cuda_device() {
    prepare_cuda_environment();
    const auto module = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "libcrescendo_cuda.so";
    void* library = ::dlopen(module.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        throw std::runtime_error(text("cannot use a GPU: {}", ::dlerror()));
    }
    using Factory = Device*();
    auto* make = reinterpret_cast<Factory*>(::dlsym(library, "crescendo_make_cuda_device"));
    if (!make) {
        throw std::runtime_error(text("{} belongs to another version of crescendo-trainer", module.string()));
    }
    return std::unique_ptr<Device>(make());
}

}  // namespace crescendo::trainer
