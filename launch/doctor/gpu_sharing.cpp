#include "launch/doctor/examinations.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace crescendo::launch {
namespace {

constexpr const char* about_gpus = "GPUs";

/// The daemon must not be started with a list of GPUs: it would renumber them, and workers would ask for GPUs of
/// others.
constexpr const char* gpus_remedy =
    "start it on each node before the sweep: `env -u CUDA_VISIBLE_DEVICES CUDA_DEVICE_ORDER=PCI_BUS_ID "
    "nvidia-cuda-mps-control -d`; `echo quit | nvidia-cuda-mps-control` stops it";

/// The control pipe of the daemon that the workers will contact.
std::filesystem::path pipe_of_mps(const Variables& variables) {
    const char* folder = variables("CUDA_MPS_PIPE_DIRECTORY");
    return std::filesystem::path(folder != nullptr ? folder : "/tmp/nvidia-mps") / "control";
}

}  // namespace

Findings examine_gpu_sharing(const SlotPlan& plan, const SlotPlan::Wishes& wishes, const Variables& variables) {
    const auto& first = plan.slots.front();  // no other GPU has more slots than the first
    if (first.gpu.empty() && wishes.slots_per_gpu > 1 && !wishes.slots) {
        return {{Verdict::ok, about_gpus, "there is no GPU, so slots_per_gpu has no effect: the slots are CPU cores"}};
    }
    if (first.gpu.empty() || first.slots_on_gpu == 1) {
        return {};
    }
    const auto pipe = pipe_of_mps(variables);
    std::error_code none;
    const auto shared = fmt::format("{} workers share a GPU", first.slots_on_gpu);
    if (std::filesystem::exists(pipe, none)) {
        return {{Verdict::ok, about_gpus,
                 fmt::format("{} at the same time through NVIDIA's MPS ({} exists)", shared, pipe.string())}};
    }
    return {{Verdict::warning, about_gpus,
             fmt::format("{} in turns: the daemon of NVIDIA's MPS, which lets them compute at the same time, is not "
                         "running ({} is missing)",
                         shared, pipe.string()),
             gpus_remedy}};
}

}  // namespace crescendo::launch
