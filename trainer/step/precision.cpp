#include "trainer/step/precision.hpp"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/cpu/Utils.h>

#include <cstdlib>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "trainer/device/replaced_kernels.hpp"

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

namespace {

using Strides = at::IntArrayRef;

/// Converts to float32, for operations that stay in float32 under autocast.
at::Tensor wide(const at::Tensor& x) { return at::autocast::cached_cast(at::kFloat, x, at::kCPU); }
std::optional<at::Tensor> wide(const std::optional<at::Tensor>& x) {
    return x.has_value() && x->defined() ? std::optional(wide(*x)) : x;
}
std::vector<at::Tensor> wide(at::TensorList all) {
    std::vector<at::Tensor> result;
    for (const auto& x : all) {
        result.push_back(wide(x));
    }
    return result;
}

template <class Padding>
at::Tensor conv3d(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                  Strides stride, Padding padding, Strides dilation, std::int64_t groups) {
    const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::DispatchKey::AutocastCPU);
    return at::conv3d(wide(input), wide(weight), wide(bias), stride, padding, dilation, groups);
}

at::Tensor conv_transpose3d(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                            Strides stride, Strides padding, Strides output_padding, std::int64_t groups,
                            Strides dilation) {
    const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::DispatchKey::AutocastCPU);
    return at::conv_transpose3d(wide(input), wide(weight), wide(bias), stride, padding, output_padding, groups,
                                dilation);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> lstm(const at::Tensor& input, at::TensorList states,
                                                    at::TensorList weights, bool has_biases, std::int64_t num_layers,
                                                    double dropout, bool train, bool bidirectional, bool batch_first) {
    const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::DispatchKey::AutocastCPU);
    return at::lstm(wide(input), wide(states), wide(weights), has_biases, num_layers, dropout, train, bidirectional,
                    batch_first);
}

/// On CPUs, oneDNN's gradients of three-dimensional convolutions in bfloat16 are wrong or NaN for some shapes (torch
/// 2.11), and it has no bfloat16 LSTM for processors without AVX-512. So both are computed in float32, also in users'
/// networks.
void keep_wide_on_cpus() {
    static const auto replaced = replace_kernels(c10::DispatchKey::AutocastCPU, [](torch::Library& kernels) {
        if (const auto has = at::cpu::get_cpu_capabilities();
            !has.contains("avx512_bw") || !has.at("avx512_bw").toBool()) {
            kernels.impl("lstm.input", lstm);
        }
        kernels.impl("conv3d", conv3d<Strides>);
        kernels.impl("conv3d.padding", conv3d<std::string_view>);
        kernels.impl("conv_transpose3d.input", conv_transpose3d);
    });
}

}  // namespace

Autocast::Autocast(Precision precision, at::DeviceType device)
    : on_(product_type(precision) != at::kFloat), device_(device) {
    if (on_) {
        if (device_ == at::kCPU) {
            keep_wide_on_cpus();
        }
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

/// Makes NCCL add in a fixed order, because NVLink switches add in the order of arrival. NCCL reads the variable
/// whenever it makes a communicator. If the user has set it, it stays.
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
    if (device != at::kCPU) {  // products on CPUs stay float32
        torch.setAllowTF32CuBLAS(precision == Precision::tf32);
        torch.setAllowTF32CuDNN(precision == Precision::tf32);
    }
    torch.setDeterministicAlgorithms(deterministic, /*warn_only=*/false);
    torch.setDeterministicFillUninitializedMemory(false);  // costs time, and no result reads such memory
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
