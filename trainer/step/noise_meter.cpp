#include "trainer/step/noise_meter.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace crescendo::trainer {

namespace {

/// All numbers of a gradient as one axis, in any order.
at::Tensor flat(const at::Tensor& gradient) {
    return gradient.is_non_overlapping_and_dense() ? gradient.as_strided({gradient.numel()}, {1})
                                                   : gradient.reshape(-1);
}

at::Tensor squared_norm(const at::Tensor& numbers) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();  // BLAS counts in 32 bits
    return numbers.numel() <= most ? at::dot(numbers, numbers) : at::linalg_vector_norm(numbers).square();
}

/// Whether `second` begins in memory where `first` ends.
bool are_adjacent(const at::Tensor& first, const at::Tensor& second) {
    return first.is_alias_of(second) && first.dtype() == second.dtype() &&
           first.storage_offset() + first.numel() == second.storage_offset();
}

/// Joins tensors that are adjacent in memory, such as those of a reducer's bucket, because each operation has a fixed
/// cost. Keeps their order instead of sorting by address, so that their sum has the same bits each time.
std::vector<at::Tensor> joined(const std::vector<at::Tensor>& flats) {
    std::vector<at::Tensor> all;
    for (const auto& next : flats) {
        const bool follows = !all.empty() && are_adjacent(all.back(), next);
        if (follows || (!all.empty() && are_adjacent(next, all.back()))) {
            const at::Tensor& first = follows ? all.back() : next;
            all.back() = first.as_strided({all.back().numel() + next.numel()}, {1});
        } else {
            all.push_back(next);
        }
    }
    return all;
}

/// Sum of scalars on the device, as float64.
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
            if (watch->on && gradient.layout() == at::kStrided) {  // expect_gradients() rejects sparse ones
                watch->squares.push_back(squared_norm(flat(gradient)));
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
    if (const auto squares = std::exchange(watch_->squares, {}); !squares.empty()) {
        parts_.push_back(sum(squares).div_(static_cast<double>(samples)));
    }
}

at::Tensor NoiseMeter::take_parts() {
    const auto parts = std::exchange(parts_, {});
    return parts.empty() ? at::Tensor() : sum(parts);
}

NoiseMeter::Sums NoiseMeter::take(const at::Tensor& parts) {
    std::vector<at::Tensor> gradients;
    for (const auto& parameter : parameters_) {
        gradients.push_back(flat(parameter.grad()));
    }
    gradients = joined(gradients);
    std::ranges::transform(gradients, gradients.begin(), squared_norm);
    const at::Tensor whole = sum(gradients);
    const at::Tensor sums = at::stack({parts.defined() ? parts : at::zeros_like(whole), whole}).cpu();
    return {.parts = sums[0].item<double>(), .whole = sums[1].item<double>()};
}

}  // namespace crescendo::trainer
