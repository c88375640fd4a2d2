#include "trainer/training/precision.hpp"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>

#include <cstdlib>

namespace crescendo::trainer {

at::ScalarType product_type(Precision precision) {
    switch (precision) {
        case Precision::bf16:
            return at::kBFloat16;
        case Precision::fp16:
            return at::kHalf;
        default:
            return at::kFloat;
    }
}

Autocast::Autocast(Precision precision, at::DeviceType device)
    : on_(product_type(precision) != at::kFloat), device_(device) {
    if (on_) {
        at::autocast::set_autocast_enabled(device_, true);
        at::autocast::set_autocast_dtype(device_, product_type(precision));
    }
}

Autocast::~Autocast() {
    if (on_) {
        at::autocast::set_autocast_enabled(device_, false);
        at::autocast::clear_cache();
    }
}

namespace {

/// NVLink's switches add up in the order of arrival. NCCL reads the variable whenever it makes a communicator. A choice
/// of the user's stays.
void choose_algorithms_of_nccl(bool deterministic) {
    constexpr const char* variable = "NCCL_ALGO";
    static const bool chosen_by_user = std::getenv(variable) != nullptr;
    if (chosen_by_user) {
        return;
    }
    if (deterministic) {
        ::setenv(variable, "^NVLS,NVLSTree", /*overwrite=*/1);
    } else {
        ::unsetenv(variable);
    }
}

}  // namespace

void set_process_switches(Precision precision, bool deterministic, at::DeviceType device) {
    auto& torch = at::globalContext();
    if (device != at::kCPU) {  // a CPU's products are float32, whatever torch would do there
        torch.setAllowTF32CuBLAS(precision == Precision::tf32);
        torch.setAllowTF32CuDNN(precision == Precision::tf32);
    }
    torch.setDeterministicAlgorithms(deterministic, /*warn_only=*/false);
    torch.setDeterministicFillUninitializedMemory(false);  // it costs time, and no result reads such memory
    torch.setDeterministicCuDNN(deterministic);
    torch.setDeterministicMkldnn(deterministic);
    choose_algorithms_of_nccl(deterministic);
}

bool unscale_gradients(const std::vector<at::Tensor>& parameters, double scale) {
    const at::NoGradGuard no_gradients;
    std::vector<at::Tensor> gradients;
    for (const auto& parameter : parameters) {
        gradients.push_back(parameter.grad());
    }
    const auto options = parameters.front().options().dtype(at::kFloat);
    at::Tensor found = at::zeros({1}, options);
    at::_amp_foreach_non_finite_check_and_unscale_(gradients, found, at::full({1}, 1.0 / scale, options));
    return found.item<float>() == 0.0F;
}

}  // namespace crescendo::trainer
