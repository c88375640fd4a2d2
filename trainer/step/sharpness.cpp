#include "trainer/step/sharpness.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace crescendo::trainer {

void climb(const std::vector<at::Tensor>& parameters, double distance) {
    const at::NoGradGuard no_gradients;
    std::vector<at::Tensor> norms;
    for (const auto& parameter : parameters) {
        norms.push_back(parameter.grad().norm());
    }
    const at::Tensor factor = distance / (at::stack(norms).norm() + 1e-12);
    for (const auto& parameter : parameters) {
        parameter.variable_data().add_(parameter.grad() * factor);
    }
}

}  // namespace crescendo::trainer
