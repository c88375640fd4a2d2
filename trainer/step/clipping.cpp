#include "trainer/step/clipping.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace crescendo::trainer {

void clip_gradients(const std::vector<at::Tensor>& parameters, double most_norm, double most_value) {
    const at::NoGradGuard no_gradients;
    std::vector<at::Tensor> gradients;
    for (const auto& parameter : parameters) {
        if (parameter.grad().defined()) {
            gradients.push_back(parameter.grad());
        }
    }
    if (most_value > 0) {
        for (const auto& gradient : gradients) {
            gradient.clamp_(-most_value, most_value);
        }
    }
    if (most_norm > 0 && !gradients.empty()) {
        std::vector<at::Tensor> norms;
        for (const auto& gradient : gradients) {
            norms.push_back(gradient.norm());
        }
        const at::Tensor factor = (most_norm / (at::stack(norms).norm() + 1e-6)).clamp_max(1.0);
        for (const auto& gradient : gradients) {
            gradient.mul_(factor);
        }
    }
}

}  // namespace crescendo::trainer
