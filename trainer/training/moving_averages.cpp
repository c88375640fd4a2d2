#include "trainer/training/moving_averages.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cstddef>

namespace crescendo::trainer {

std::vector<NamedTensor> with_average(std::vector<NamedTensor> tensors) {
    std::erase_if(tensors, [](const NamedTensor& each) {
        return each.tensor.scalar_type() != at::kFloat && each.tensor.scalar_type() != at::kDouble;
    });
    return tensors;
}

void MovingAverages::begin(const std::vector<NamedTensor>& tensors) {
    all_.clear();
    for (const auto& each : with_average(tensors)) {
        all_.push_back({each, each.tensor.detach().clone()});
    }
}

void MovingAverages::update(double decay, std::int64_t num_updates, const std::vector<at::Tensor>& instead) {
    const at::NoGradGuard no_gradients;
    const auto updates = static_cast<double>(num_updates);
    const double share = 1.0 - std::min(decay, (1.0 + updates) / (10.0 + updates));
    for (std::size_t i = 0; i < all_.size(); ++i) {
        auto& [followed, average] = all_[i];
        const at::Tensor now = i < instead.size() ? instead[i] : followed.tensor.detach();
        average.lerp_(now, share);
        if (!followed.tensor.requires_grad()) {
            // A buffer that is infinite, such as a mask, or was, such as a minimum of nothing, has no average.
            average.copy_(at::where(average.isfinite(), average, now));
        }
    }
}

std::vector<NamedTensor> MovingAverages::named() const {
    std::vector<NamedTensor> all;
    for (const auto& each : all_) {
        all.push_back({each.followed.name, each.average});
    }
    return all;
}

std::vector<at::Tensor> MovingAverages::tensors() const {
    std::vector<at::Tensor> all;
    for (const auto& each : all_) {
        all.push_back(each.average);
    }
    return all;
}

}  // namespace crescendo::trainer
