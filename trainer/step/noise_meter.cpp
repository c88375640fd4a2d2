#include "trainer/step/noise_meter.hpp"

#include <ATen/ATen.h>

#include <cstdint>
#include <limits>
#include <utility>

namespace crescendo::trainer {

namespace {

at::Tensor squared_norm(const at::Tensor& gradient) {
    const at::Tensor flat =
        gradient.is_non_overlapping_and_dense() ? gradient.as_strided({gradient.numel()}, {1}) : gradient.reshape(-1);
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();  // what BLAS counts to
    return flat.numel() <= most ? at::dot(flat, flat) : at::linalg_vector_norm(flat).square();
}

/// Of numbers on the device.
at::Tensor sum(const std::vector<at::Tensor>& numbers) { return at::stack(numbers).sum(at::kDouble); }

}  // namespace

struct NoiseMeter::Watch {
    bool on = false;
    std::vector<at::Tensor> squares;
};

NoiseMeter::NoiseMeter(const std::vector<at::Tensor>& parameters)
    : parameters_(parameters), watch_(std::make_shared<Watch>()) {
    for (const auto& parameter : parameters_) {
        parameter.register_hook([watch = watch_](const at::Tensor& gradient) {
            if (watch->on && gradient.layout() == at::kStrided) {  // sparse ones are refused after the step
                watch->squares.push_back(squared_norm(gradient));
            }
        });
    }
}

NoiseMeter::~NoiseMeter() = default;

void NoiseMeter::reset() {
    watch_->on = false;
    watch_->squares.clear();
    parts_.clear();
}

void NoiseMeter::begin_part() { watch_->on = true; }

void NoiseMeter::end_part(std::int64_t samples) {
    watch_->on = false;
    for (const auto& square : std::exchange(watch_->squares, {})) {
        parts_.push_back(square / static_cast<double>(samples));
    }
}

at::Tensor NoiseMeter::take_parts() {
    const auto parts = std::exchange(parts_, {});
    return parts.empty() ? at::Tensor() : sum(parts);
}

NoiseMeter::Sums NoiseMeter::take(const at::Tensor& parts) {
    std::vector<at::Tensor> wholes;
    for (const auto& parameter : parameters_) {
        wholes.push_back(squared_norm(parameter.grad()));
    }
    const at::Tensor whole = sum(wholes);
    const at::Tensor sums = at::stack({parts.defined() ? parts : at::zeros_like(whole), whole}).cpu();
    return {.parts = sums[0].item<double>(), .whole = sums[1].item<double>()};
}

}  // namespace crescendo::trainer
